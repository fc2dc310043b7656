"""For editors and type checkers, which do not follow the lazy imports of __init__.py."""

from .adwin import Adwin as Adwin
from .encoder import Encoder as Encoder
from .generations import load as load
from .grove.grove import Grove as _Grove
from .model import MISSING as MISSING
from .model import BudgetError as BudgetError
from .model import ImageError as ImageError
from .model import Sample
from .shrubs.shrubs import Shrubs as Shrubs
from .tree.plan import plan as plan
from .tree.tree import Tree as Tree
from .window import Window as Window

__version__: str

class Grove(_Grove):
    def confidence(self, x: Sample) -> int: ...
    def forget(self, y: int) -> None: ...
    def settle(self) -> None: ...

def fetch(module: str, name: str) -> object: ...
