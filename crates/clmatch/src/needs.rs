//! Which statistics a measure asks for, so that the evaluator computes the union once.

/// A set of statistics. [`Needs::MOMENTS`] are always there.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs(u16);

impl Needs {
    /// Centroids, `T`, `V_i`, `D`, `s2`: what squared distances to centroids tell.
    pub const MOMENTS: Needs = Needs(0);
    /// `s1`, `S_i` and mean radii: what distances to centroids tell.
    pub const ROOTS: Needs = Needs(64);
    /// Sums of distances from each point to each class.
    pub const SUMS: Needs = Needs(1);
    /// The nearest neighbours of each point in each class.
    pub const NEAREST: Needs = Needs(2);
    /// Smallest distance between and largest within classes.
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

    /// All statistics that are in either set.
    #[must_use]
    pub const fn union(self, other: Needs) -> Needs {
        Needs(self.0 | other.0)
    }

    /// Whether all of `other` is in here.
    pub const fn has(self, other: Needs) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether a sweep over all pairs of points is needed.
    pub const fn any_distance(self) -> bool {
        self.0 & (Needs::SUMS.0 | Needs::NEAREST.0 | Needs::EXTREMES.0) != 0
    }

    /// Whether points are compared with each other, or with more than centroids.
    pub const fn compares_points(self) -> bool {
        let compares = Needs::MEDIAN.union(Needs::SHUFFLES).union(Needs::KAPPA).union(Needs::LAMBDA);
        self.0 & compares.0 != 0 || self.any_distance()
    }

    /// Names of the statistics, for people.
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

/// What is needed of the whole dataset, and of every pair of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plan {
    /// `None`: the whole dataset is not looked at as one set.
    pub whole: Option<Needs>,
    /// `None`: no pair is looked at.
    pub pairs: Option<Needs>,
}

impl Plan {
    /// A plan for a measure on the whole dataset.
    pub const fn whole(needs: Needs) -> Plan {
        Plan { whole: Some(needs), pairs: None }
    }

    /// A plan for a measure on pairs of classes.
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

    /// What either scope needs.
    pub(crate) fn any(self) -> Needs {
        self.whole.unwrap_or_default().union(self.pairs.unwrap_or_default())
    }
}
