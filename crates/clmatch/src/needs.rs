//! Which statistics a measure needs, so that the evaluator computes the union once.

/// A set of statistics, which always includes [`Needs::MOMENTS`].
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs(u16);

impl Needs {
    /// Centroids, `T`, `V_i`, `D`, `s2`: what follows from squared distances to centroids.
    pub const MOMENTS: Needs = Needs(0);
    /// `s1`, `S_i` and mean radii: what follows from distances to centroids.
    pub const ROOTS: Needs = Needs(64);
    /// Sums of distances from each point to each class.
    pub const SUMS: Needs = Needs(1);
    /// The nearest neighbours of each point in each class.
    pub const NEAREST: Needs = Needs(2);
    /// The smallest distance between classes and the largest within them.
    pub const EXTREMES: Needs = Needs(4);
    /// Mean distance to the geometric median of each set.
    pub const MEDIAN: Needs = Needs(8);
    /// The separation `eta` of each pair.
    pub const ETA: Needs = Needs(16);
    /// The tree agreement `kappa` of each pair.
    pub const KAPPA: Needs = Needs(128);
    /// Random relabellings of each set.
    pub const SHUFFLES: Needs = Needs(32);
    /// Whether k-means keeps the classes: `lambda` of the whole dataset.
    pub const LAMBDA: Needs = Needs(256);

    /// The statistics in either set.
    #[must_use]
    pub const fn union(self, other: Needs) -> Needs {
        Needs(self.0 | other.0)
    }

    /// Whether this set contains all of `other`.
    pub const fn has(self, other: Needs) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether these statistics need a sweep over all pairs of points.
    pub const fn any_distance(self) -> bool {
        self.0 & (Needs::SUMS.0 | Needs::NEAREST.0 | Needs::EXTREMES.0) != 0
    }

    /// Whether points are compared with each other, or with more than centroids.
    pub const fn compares_points(self) -> bool {
        let compares = Needs::MEDIAN.union(Needs::SHUFFLES).union(Needs::KAPPA).union(Needs::LAMBDA);
        self.0 & compares.0 != 0 || self.any_distance()
    }

    /// Readable names of the statistics.
    pub fn names(self) -> Vec<&'static str> {
        let all = [
            (Needs::ROOTS, "radii"),
            (Needs::SUMS, "distance sums"),
            (Needs::NEAREST, "nearest neighbours"),
            (Needs::EXTREMES, "extreme distances"),
            (Needs::MEDIAN, "geometric medians"),
            (Needs::ETA, "eta"),
            (Needs::KAPPA, "spanning trees"),
            (Needs::SHUFFLES, "relabellings"),
            (Needs::LAMBDA, "k-means"),
        ];
        let extra = all.into_iter().filter(|(need, _)| self.has(*need)).map(|(_, name)| name);
        std::iter::once("moments").chain(extra).collect()
    }
}

impl std::fmt::Debug for Needs {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Needs({})", self.names().join(", "))
    }
}

/// The statistics needed of the whole dataset, and of every pair of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plan {
    /// `None` if the whole dataset is not treated as one set.
    pub whole: Option<Needs>,
    /// `None` if no pairs are compared.
    pub pairs: Option<Needs>,
}

impl Plan {
    /// The plan of a measure on the whole dataset.
    pub const fn whole(needs: Needs) -> Plan {
        Plan { whole: Some(needs), pairs: None }
    }

    /// The plan of a measure on pairs of classes.
    pub const fn pairs(needs: Needs) -> Plan {
        Plan { whole: None, pairs: Some(needs) }
    }

    /// Everything that either plan needs.
    #[must_use]
    pub fn union(self, other: Plan) -> Plan {
        let union = |a: Option<Needs>, b: Option<Needs>| match (a, b) {
            (Some(a), Some(b)) => Some(a.union(b)),
            (a, b) => a.or(b),
        };
        Plan { whole: union(self.whole, other.whole), pairs: union(self.pairs, other.pairs) }
    }

    /// The statistics that the whole dataset or the pairs need.
    pub(crate) fn any(self) -> Needs {
        self.whole.unwrap_or_default().union(self.pairs.unwrap_or_default())
    }
}
