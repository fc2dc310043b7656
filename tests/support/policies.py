"""What the directed tests of policies share: fields of a tree by their names, to be set as a test needs them.

A policy's test is a function of the package; `tests/test_policies*.py` call it with the real package, where
it must pass, and with a line of the policy changed, where it must fail.
"""

from array import array
from collections.abc import Callable
from typing import Any

import pytest

import niwaki
from niwaki import layout as shared
from niwaki.tree import layout as t
from support.changed import changed

Policy = Callable[[Any], None]
Change = tuple[str, str, str]


def holds(policy: Policy) -> None:
    policy(niwaki)


def is_missed(policy: Policy, *changes: Change) -> None:
    """The policy's test fails, and by what it asserts, when these lines are changed."""
    with changed(*changes) as package, pytest.raises(AssertionError):
        policy(package)


def pairs(table: dict[Policy, list[tuple[Change, ...]]]) -> list:
    """Parameters for a test: each policy with each way to turn it off."""
    return [
        pytest.param(policy, changes, id=f"{policy.__name__}-{k}")
        for policy, ways in table.items()
        for k, changes in enumerate(ways)
    ]


class Bench:
    """A tree on the bench: its kernels one by one, its fields to be set. Codes reach kernels as they are."""

    def __init__(self, package: Any, *shape: int, **options: Any) -> None:
        self.package = package
        self.tree = package.Tree(*shape, **options)
        self.words, self.halves = self.tree.words, self.tree.halves
        self.arrays = self.tree._arrays
        self.scratch = self.arrays[shared.A_SCRATCH]
        self.x = self.arrays[shared.A_SAMPLE]

    def call(self, where: str) -> int:
        """A kernel, "tree.rule rule", on the model as it stands."""
        module, name = where.split()
        return self.package.fetch(module, name)(self.tree._at, self.x)

    def learn_until(self, stream: Any, done: Callable[[], Any]) -> None:
        for x, y in stream:
            self.tree.learn(array("h", x), y)
            if done():
                return
        raise AssertionError("the stream has ended")

    def waits(self) -> int:
        """Whether gains are ready, so that `rule` can be called."""
        return self.words[t.WAIT]

    def node(self, number: int) -> int:
        """Where a node's record starts, in halves."""
        return self.words[t.NODE0] + number * t.NODE

    def leaf(self, number: int) -> int:
        """Where the record of node `number`, a leaf, starts."""
        record = self.halves[self.node(number) + t.NODE_LEAF]
        return self.words[t.LEAF0] + record * (t.LEAF + self.tree.n_classes)

    def slot(self, number: int) -> int:
        """The slot of a leaf, -1: none."""
        return self.halves[self.node(number) + t.NODE_SLOT] - 1

    def age(self, number: int) -> int:
        """Where the age of the slot of a leaf stands, in words."""
        return self.words[t.SLOT_WORDS0] + self.slot(number) * self.words[t.SLOT_WORDS] + t.SLOT_AGE

    def leaves(self) -> list[int]:
        """The leaves of the main tree."""
        found, todo = [], [0]
        while todo:
            number = todo.pop()
            child = self.halves[self.node(number) + t.NODE_CHILD]
            if child:
                todo += [child, child + 1]
            else:
                found.append(number)
        return sorted(found)

    def wrong(self, number: int, majority: int, bayes: int) -> None:
        """Say how often the two answers of a leaf were wrong since its birth."""
        self.halves[self.leaf(number) + t.LEAF_MAJORITY_WRONG] = majority
        self.halves[self.leaf(number) + t.LEAF_BAYES_WRONG] = bayes
