"""Float64 references, written from the papers and independent of the device code.

They share nothing with it but what a leaf observes, and even the auto-ranging histogram is written a second
time, in `histogram`. `lockstep` holds a device tree against its reference, split attempt by split attempt.
"""

from niwaki_host.references.regularised import RegularisedTree, StrictRegularisedTree
from niwaki_host.references.strict import StrictTree
from niwaki_host.references.vfdt import Attempt, Candidate, HoeffdingTree

__all__ = [
    "Attempt",
    "Candidate",
    "HoeffdingTree",
    "RegularisedTree",
    "StrictRegularisedTree",
    "StrictTree",
]
