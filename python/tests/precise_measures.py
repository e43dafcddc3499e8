"""All measures in extended precision, from their definitions and as slowly as need be: the yardstick for rounding errors."""

import itertools
from collections import Counter

import mpmath
import numpy as np
from mpmath import mp, mpf

mp.dps = 40

K = {"ch": mpf("2.2160052679191475"), "xb": mpf("0.29289310158571386"), "db": mpf("2.4831185988914117"),
     "di": mpf("0.40019810656179045"), "db_c": mpf("0.9432")}  # fmt: skip
ADJUSTED = ("ch_a", "xb_a", "db_a", "di_a", "sc_a", "ch_c", "db_c")
STANDARD = ("ch", "di", "ii", "xb", "db", "sc")
# Squared distances that differ by less, relative to each other or to the scatter of the pair, count as equal.
TIE, NOTHING = mpf("1e-9"), mpf("1e-12")


def logistic(t):
    return 1 / (1 + mpmath.exp(-t))


def deviation(values):
    mean = sum(values) / len(values)
    return mpmath.sqrt(sum((value - mean) ** 2 for value in values) / len(values))


class Points:
    """Points with the numbers that measures ask for, exactly up to 40 digits."""

    def __init__(self, rows):
        self.rows = [[mpf(float(value)) for value in row] for row in rows]
        self.n = len(self.rows)
        self.centre = [sum(column) / self.n for column in zip(*self.rows)]
        self.squared = [self.square(row, self.centre) for row in self.rows]

    @staticmethod
    def square(a, b):
        return sum((x - y) ** 2 for x, y in zip(a, b))

    def scatter(self):
        return sum(self.squared) / self.n


def distances(points):
    """All squared distances between rows."""
    table = [[mpf(0)] * points.n for _ in range(points.n)]
    for a, b in itertools.combinations(range(points.n), 2):
        table[a][b] = table[b][a] = Points.square(points.rows[a], points.rows[b])
    return table


def geometric_median_distance(squared, scale):
    """The mean distance to the geometric median, which is a mean of the points with weights (Weiszfeld): from the squared
    distances between them alone, with the step for a point that is reached."""
    n = len(squared)
    weights = [mpf(1) / n] * n
    for _ in range(2000):
        toward = [sum(w * value for w, value in zip(weights, row)) for row in squared]
        inner = sum(w * value for w, value in zip(weights, toward)) / 2
        length = [mpmath.sqrt(max(value - inner, 0)) for value in toward]
        apart = [mpf(0) if value < mpf("1e-18") * mpmath.sqrt(scale) else 1 / value for value in length]
        total = sum(apart)
        if total == 0:
            return mpf(0)
        here = sum(value == 0 for value in apart)
        target = [value / total for value in apart]
        move = [t - w for t, w in zip(target, weights)]
        # The squared length of a difference of two means whose weights add up to 0.
        step = mpmath.sqrt(max(-sum(a * b * squared[x][y] for x, a in enumerate(move) for y, b in enumerate(move)) / 2, 0))
        share = max(mpf(0), 1 - here / (step * total)) if here and step > 0 else mpf(1)
        weights = [w + share * m for w, m in zip(weights, move)]
        if share * step <= mpf("1e-12") * mpmath.sqrt(scale):
            break
    return sum(length) / n


def pair_scores(first, second):
    """The scores of the adjusted measures and of clm_pairs for two classes; None where a denominator vanishes."""
    i, j = Points(first), Points(second)
    both = Points([*first, *second])
    n, scale = both.n, both.scatter()
    s2, s1 = deviation(both.squared), deviation([mpmath.sqrt(r) for r in both.squared])
    if scale == 0 or s2 < mpf("1e-6") * scale or s1 < mpf("1e-6") * mpmath.sqrt(scale):
        return None
    d = Points.square(i.centre, j.centre)
    v = [i.scatter(), j.scatter()]
    z = i.n * j.n * d / mpf(n) ** 2 / s2
    scores = {
        "ch_a": mpmath.tanh(K["ch"] * z * mpmath.exp(z) / 2),
        "xb_a": mpmath.tanh(K["xb"] * mpmath.exp(z) * mpmath.sqrt(d) / s1 / 2),
        "db_a": mpmath.tanh(K["db"] / 2 * d / s2 * scale / s2 / sum(mpmath.exp(one / s2) for one in v)),
    }
    unbiased = d - v[0] / (i.n - 1) - v[1] / (j.n - 1)
    z = i.n * j.n * unbiased / mpf(n) ** 2 / s2
    scores["ch_c"] = mpmath.tanh(K["ch"] * z * mpmath.exp(z) / 2)
    total = scale * n / (n - 1)
    inner = [v[0] * i.n / (i.n - 1), v[1] * j.n / (j.n - 1)]
    scores["db_c"] = mpmath.tanh(K["db_c"] / 2 * unbiased / s2 / sum(mpmath.exp((one - total) / s2) for one in inner))

    squared = distances(both)
    length = [[mpmath.sqrt(value) for value in row] for row in squared]
    sides = [range(i.n), range(i.n, n)]
    within = [sum(length[a][b] for a in side for b in side) / (len(side) * (len(side) - 1)) for side in sides]
    between = sum(length[a][b] for a in sides[0] for b in sides[1]) / (i.n * j.n)
    mean = sum(map(sum, length)) / (n * (n - 1))
    level = logistic(K["di"] * mpmath.exp((between - max(within)) / s1))
    worst = logistic(K["di"] * mpmath.exp((geometric_median_distance(squared, scale) - mean) / s1))
    scores["di_a"] = (level - worst) / (1 - worst)
    means = []
    for own, other in (sides, sides[::-1]):
        values = []
        for x in own:
            a, b = sum(length[x][y] for y in own) / (len(own) - 1), sum(length[x][y] for y in other) / len(other)
            values.append(mpmath.exp((b - max(a, b)) / s1) - mpmath.exp((a - max(a, b)) / s1))
        means.append(sum(values) / len(values))
    scores["sc_a"] = sum(means) / 2
    labels = [0] * i.n + [1] * j.n
    scores["clm_pairs"] = combined(eta(i, j), kappa(squared, labels, scale), nu(squared, labels, scale))
    return scores


def combined(line, tree, neighbours):
    """One number of three answers."""
    return (1 - (1 - line) * (1 - tree) + tree + neighbours) / 3


def of_all(classes):
    """The half of clm that looks at all classes at once."""
    both = Points([row for rows in classes for row in rows])
    labels = [label for label, rows in enumerate(classes) for _ in rows]
    squared, scale = distances(both), both.scatter()
    return combined(moved(both, labels), kappa(squared, labels, scale), nu(squared, labels, scale))


def moved(points, labels):
    """Agreement of the labels with the classes after up to 60 rounds in which every point moves to the cheapest one."""
    count, now = max(labels) + 1, labels
    for round in range(60):
        members = [[at for at in range(points.n) if now[at] == label] for label in range(count)]
        centres = [Points([points.rows[at] for at in own]).centre if own else None for own in members]
        if round == 0 and all(Points.square(centre, centres[0]) == 0 for centre in centres):
            return mpf(0)
        after = []
        for row, own in zip(points.rows, now):
            costs = [
                mpf("inf") if not held else Points.square(row, centre) * mpf(len(held)) / (len(held) + 1)
                for held, centre in zip(members, centres)
            ]
            n = len(members[own])
            stay = costs[own] * (n + 1) / (n - 1) if n > 1 else mpf(0)
            best = min((other for other in range(count) if other != own), key=costs.__getitem__)
            after.append(best if costs[best] < stay * (1 - TIE) else own)
        if after == now:
            break
        now = after
    if count == 2 and 2 * sum(a == b for a, b in zip(labels, now)) <= len(labels):
        return mpf(0)
    pairs = lambda keys: sum(mpf(n) * (n - 1) / 2 for n in Counter(keys).values())  # noqa: E731
    return max(mpf(0), rand(pairs(labels), pairs(now), pairs(zip(labels, now)), len(labels)) or mpf(0))


def rand(labelled, together, same, n):
    """The adjusted Rand index by its pairs; None where it is 0/0."""
    expected = labelled * together / (mpf(n) * (n - 1) / 2)
    below = (labelled + together) / 2 - expected
    return (same - expected) / below if below != 0 else None


def eta(i, j):
    """The share of the variance of the difference in cost that lies between the classes."""

    def cost(x, side, inside):
        factor = mpf(side.n) / (side.n - 1 if inside else side.n + 1)
        return factor * Points.square(x, side.centre)

    u = [[cost(x, i, True) - cost(x, j, False) for x in i.rows], [cost(x, i, False) - cost(x, j, True) for x in j.rows]]
    means = [sum(side) / len(side) for side in u]
    if means[0] > means[1]:
        return mpf(0)
    n = i.n + j.n
    mean = (sum(u[0]) + sum(u[1])) / n
    between = sum(len(side) * (one - mean) ** 2 for side, one in zip(u, means))
    inner = sum((value - one) ** 2 for side, one in zip(u, means) for value in side)
    return between / (between + inner) if between + inner > 0 else mpf(0)


def kappa(squared, labels, scale):
    """The best adjusted Rand index of single linkage, by merging pairs of points in the order of their distances; points that are
    alone are one group."""
    n, count = len(squared), max(labels) + 1
    clean = lambda value: mpf(0) if value < NOTHING * scale else value  # noqa: E731
    edges = sorted((clean(squared[a][b]), a, b) for a, b in itertools.combinations(range(n), 2))
    part = list(range(n))
    members = {at: [int(label == labels[at]) for label in range(count)] for at in part}
    pairs = lambda count: mpf(count) * (count - 1) / 2  # noqa: E731
    labelled, best = sum(pairs(labels.count(label)) for label in range(count)), mpf(0)
    merges = []
    for value, a, b in edges:
        a, b = part[a], part[b]
        if a == b:
            continue
        members[a] = [one + two for one, two in zip(members[a], members.pop(b))]
        part = [a if of == b else of for of in part]
        groups = [group for group in members.values() if sum(group) > 1]
        groups.append([sum(column) for column in zip([0] * count, *(one for one in members.values() if sum(one) == 1))])
        together = sum(pairs(sum(group)) for group in groups)
        merges.append((value, together, sum(pairs(one) for group in groups for one in group)))
    for at, (value, together, same) in enumerate(merges):
        if at + 1 < len(merges) and merges[at + 1][0] <= value * (1 + TIE):
            continue
        best = max(best, rand(labelled, together, same, n) or mpf(0))
    return best


def nu(squared, labels, scale):
    """The normalised mutual information of labels and neighbours' labels."""
    n, classes = len(squared), range(max(labels) + 1)
    count = min(5, n - 1)
    table = [[mpf(0) for _ in classes] for _ in classes]
    clean = lambda value: mpf(0) if value < NOTHING * scale else value  # noqa: E731
    for x in range(n):
        lists = [sorted(clean(squared[x][y]) for y in range(n) if y != x and labels[y] == one)[:5] for one in classes]
        limit = sorted(itertools.chain(*lists))[count - 1]
        nearer = [sum(value < limit * (1 - TIE) for value in one) for one in lists]
        tied = [sum(limit * (1 - TIE) <= value <= limit * (1 + TIE) for value in one) for one in lists]
        left = count - sum(nearer)
        for side in classes:
            table[labels[x]][side] += nearer[side] + mpf(left) * tied[side] / sum(tied)
    total = sum(map(sum, table))
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table)]
    entropy = lambda counts: -sum(c / total * mpmath.log(c / total) for c in counts if c > 0)  # noqa: E731
    mean = (entropy(rows) + entropy(columns)) / 2
    shared = sum(
        value / total * mpmath.log(value * total / (rows[r] * columns[c]))
        for r, row in enumerate(table) for c, value in enumerate(row) if value > 0
    )  # fmt: skip
    return shared / mean if mean > 0 else mpf(0)


def over(above, below):
    """A quotient; infinite where the denominator vanishes."""
    return above / below if below > 0 else mpf("inf")


def whole_scores(classes):
    """The standard measures."""
    sides = [Points(rows) for rows in classes]
    every = Points([row for rows in classes for row in rows])
    n, k = every.n, len(sides)
    inner = sum(sum(side.squared) for side in sides)
    outer = sum(side.n * Points.square(side.centre, every.centre) for side in sides)
    centres = [Points.square(a.centre, b.centre) for a, b in itertools.combinations(sides, 2)]
    roots = [[mpmath.sqrt(r) for r in side.squared] for side in sides]
    spread = [sum(root) / len(root) for root in roots]
    scores = {"ch": (n - k) * outer / ((k - 1) * inner), "xb": over(inner, n * min(centres))}
    scores["ii"] = (sum(mpmath.sqrt(r) for r in every.squared) / k / sum(map(sum, roots)) * mpmath.sqrt(max(centres))) ** 2
    ratio = lambda a, b: over(spread[a] + spread[b], mpmath.sqrt(Points.square(sides[a].centre, sides[b].centre)))  # noqa: E731
    scores["db"] = sum(max(ratio(a, b) for b in range(k) if b != a) for a in range(k)) / k
    length = [[mpmath.sqrt(value) for value in row] for row in distances(every)]
    ends = np.cumsum([0, *(side.n for side in sides)])
    spans = [range(a, b) for a, b in itertools.pairwise(ends)]
    apart = min(length[x][y] for a, b in itertools.combinations(spans, 2) for x in a for y in b)
    scores["di"] = apart / max(length[x][y] for span in spans for x in span for y in span)
    values = []
    for own in spans:
        for x in own:
            a = sum(length[x][y] for y in own) / (len(own) - 1)
            b = min(sum(length[x][y] for y in other) / len(other) for other in spans if other is not own)
            values.append((b - a) / max(a, b) if max(a, b) > 0 else mpf(0))
    scores["sc"] = sum(values) / n
    return scores


def scores(points, labels):
    """All measures of a dataset; those of pairs are left out where a pair is degenerate."""
    classes = [points[labels == one] for one in np.unique(labels)]
    found = whole_scores(classes)
    pairs = [pair_scores(a, b) for a, b in itertools.combinations(classes, 2)]
    if None not in pairs:
        for measure in ("clm_pairs", *ADJUSTED):
            found[measure] = sum(pair[measure] for pair in pairs) / len(pairs)
        found["clm"] = (found["clm_pairs"] + of_all(classes)) / 2
    return {measure: float(value) for measure, value in found.items()}
