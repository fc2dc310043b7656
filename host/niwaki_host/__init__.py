"""The desktop lab: runs the device's own source on every runtime, and tells what it costs and gains."""
