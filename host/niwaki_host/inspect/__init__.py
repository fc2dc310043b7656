"""Look into a trained model: its splits and leaves as plain data, as rules, as DOT, as a picture."""

from niwaki_host.inspect.dot import to_dot
from niwaki_host.inspect.export import Exported, Member, Node, export
from niwaki_host.inspect.importances import importances
from niwaki_host.inspect.legend import Legend
from niwaki_host.inspect.rules import rules

__all__ = ["Exported", "Legend", "Member", "Node", "export", "importances", "rules", "to_dot"]
