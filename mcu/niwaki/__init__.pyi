"""For editors and type checkers, which do not follow the lazy imports of __init__.py."""

from .adwin import Adwin as Adwin
from .encoder import Encoder as Encoder
from .generations import load as load
from .model import MISSING as MISSING
from .model import BudgetError as BudgetError
from .model import ImageError as ImageError
from .model import Model, Sample
from .shrubs.shrubs import Shrubs as Shrubs
from .tree.plan import plan as plan
from .tree.tree import Tree as Tree
from .window import Window as Window

__version__: str

class Grove(Model):
    def __init__(self, n_features: int, n_classes: int, budget: int, **options: object) -> None: ...
    @property
    def n_shrubs(self) -> int: ...
    def confidence(self, x: Sample) -> int: ...
    def forget(self, y: int) -> None: ...
    def settle(self) -> None: ...
    def answers(self) -> int: ...
    def learn_late(self, x: Sample, y: int, answered: int) -> None: ...

def fetch(module: str, name: str) -> object: ...
