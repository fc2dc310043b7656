"""The state of a tree as plain tuples, of the device and of the reference: equal, or there is a difference.

Events (a split, a collapse, a slot that moves) are what two states, one sample apart, differ in.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from niwaki_host.device.views import ZERO
from niwaki_host.references.adwin import BLOCK
from niwaki_host.references.capped.device import Device
from niwaki_host.references.capped.slots import NarrowHistogram
from niwaki_host.references.capped.tree import CappedTree

State = dict[tuple, Any]


def of_device(device: Device) -> State:
    """The state of a device's tree: each key names a node, a slot or a monitor."""
    view, state = device.view, {}
    running = [m for m in view.monitors if m.age]
    for root in (0, *(view.alternate(m) for m in running)):
        for node in view.walk(root):
            above = node.parent if node.depth else -1
            if node.is_leaf:
                leaf = view.leaf(node.leaf)
                seen = int(device.seen[node.number]) if node.slot < 0 else 0
                wrong = leaf.majority_wrong, leaf.bayes_wrong
                facts = leaf.promise, *wrong, leaf.epoch, leaf.majority, *leaf.counts
                state["leaf", node.number] = above, node.slot, seen, facts
            else:
                split = node.feature, node.threshold, node.nominal, node.missing_right
                state["split", node.number] = above, node.child, split
    for number in range(view.n_slots):
        slot = view.slot(number)
        if slot.node < 0:
            state["slot", number] = -1, slot.features
            continue
        lanes = []
        for lane, (feature, window) in enumerate(zip(slot.features, slot.windows, strict=True)):
            where = (window.low - ZERO, window.shift) if window.seen else None
            values = view.values[feature]
            lanes.append((where, view.histogram(number, lane, values or view.bins)))
        state["slot", number] = slot.node, slot.features, slot.age, slot.tried, slot.held, slot.counts, lanes
    for monitor in view.monitors:
        buckets = [(BLOCK << size, ones) for size, ones in monitor.buckets]
        judged = (monitor.age, monitor.errors, monitor.rival) if monitor.age else None
        state["monitor", monitor.number] = monitor.node, judged, buckets if monitor.node >= 0 else None
    return state


def of_reference(tree: CappedTree) -> State:
    state: State = {}
    for node in tree.all_nodes():
        above = node.parent.number if node.parent is not None else -1
        if node.split is None:
            leaf = node.leaf
            number, seen = (node.slot.number, 0) if node.slot is not None else (-1, node.seen)
            wrong = leaf.majority_wrong, leaf.bayes_wrong
            facts = leaf.promise, *wrong, leaf.epoch, leaf.majority, *leaf.counts
            state["leaf", node.number] = above, number, seen, facts
        else:
            s = node.split
            split = s.feature, s.key, s.nominal, s.missing_right
            state["split", node.number] = above, node.children[0].number, split
    for slot in tree.slots:
        if slot.node is None:
            state["slot", slot.number] = -1, slot.features
            continue
        lanes = []
        for observer in slot.observers:
            where = None
            if isinstance(observer, NarrowHistogram) and observer.lo is not None:
                where = observer.lo, observer.shift
            lanes.append((where, observer.rows))
        held = slot.age, slot.tried, slot.held, slot.born
        state["slot", slot.number] = slot.node.number, list(slot.features), *held, lanes
    state.update(tree.monitor_states())
    return state


def differences(device: State, reference: State) -> list[str]:
    """The differences, in words."""
    keys = sorted(device.keys() | reference.keys())
    return [
        f"{key[0]} {key[1]}: device {device.get(key)}, reference {reference.get(key)}"
        for key in keys
        if device.get(key) != reference.get(key)
    ]


def structure(state: State) -> State:
    """The facts that events change: splits, leaf and features of slots, node and alternate of monitors."""
    kept: State = {}
    for key, facts in state.items():
        if key[0] == "split":
            kept[key] = facts
        elif key[0] == "slot":
            kept[key] = facts[0], list(facts[1])
        elif key[0] == "monitor":
            kept[key] = facts[0], facts[1] is not None
    return kept


def events(before: State, after: State) -> Counter:
    """How often each kind of event happened, from one structure to the next."""
    found: Counter = Counter()
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if key[0] == "split":
            found["collapses"] += old is not None
            found["splits"] += new is not None
        elif key[0] == "slot":
            assert old is not None and new is not None
            found["slot moves"] += old[0] != new[0]
            found["races"] += old[1] != new[1]
        else:
            assert old is not None and new is not None
            found["monitors moved"] += old[0] != new[0]
            found["alternates begun"] += new[1] and not old[1]
            found["alternates ended"] += old[1] and not new[1]
    return found
