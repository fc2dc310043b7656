"""The device's source seen from the desktop: as it is, as syntax trees, as views of its arrays."""
