"""Shrub Ensembles in a fixed number of bytes: small trees on a sliding window, weighed by their votes."""

from .model import Model
from .shrub_agree import agree
from .shrub_grow import grow
from .shrub_layout import SHRUBS, WEIGHTS, WINDOW, plan, write_header
from .shrub_learn import learn
from .shrub_predict import predict
from .shrub_weigh import weigh


class Shrubs(Model):
    KERNELS = (predict, learn, grow, agree, weigh)
    LEARN_NEEDS_PREDICT = True

    def __init__(self, n_features, n_classes, budget, **options):
        p = plan(n_features, n_classes, budget, **options)
        self._allocate(2, budget, n_features, n_classes, p.sizes())
        write_header(self.words, p)

    def _nodes(self):
        """Nodes of all shrubs with weight, and how many shrubs those are."""
        w = self.words
        at = (w[5] + 3) * w[WINDOW] + 1
        nodes = shrubs = 0
        for m in range(w[SHRUBS] + 1):
            if w[WEIGHTS + m]:
                nodes += self.octets[at + m]
                shrubs += 1
        return nodes, shrubs

    @property
    def n_nodes(self):
        nodes, shrubs = self._nodes()
        return 2 * nodes + shrubs

    @property
    def n_leaves(self):
        nodes, shrubs = self._nodes()
        return nodes + shrubs
