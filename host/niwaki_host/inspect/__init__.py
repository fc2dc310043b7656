"""Look into a trained model: its splits and leaves as plain data, as rules, as DOT, as a picture."""

from .dot import to_dot
from .export import Exported, Member, Node, export
from .importances import importances
from .legend import Legend
from .rules import rules

__all__ = ["Exported", "Legend", "Member", "Node", "export", "importances", "rules", "to_dot"]
