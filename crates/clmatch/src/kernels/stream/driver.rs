//! One pass over the data: additive states per class, computed from panels of rows.
//!
//! A pass keeps `width` numbers per class, to which it only adds sums over panels. The rows are cut into tasks that depend on the
//! shape of the data and never on the number of threads; the states of the tasks are added along a tree that depends on nothing
//! else either, so results agree bit for bit for any number of threads.
//!
//! There are two ways to cut. *Windows*: each task takes a range of rows and walks over it window by window; a window stays in
//! the cache, and its rows are taken class after class. *Classes*: each task takes some rows of one class, wherever they lie;
//! this is for many classes, whose states would not fit the cache, or for few rows.

use std::ops::Range;

use clmatch_kernels::parallel;
use clmatch_kernels::simd::{Aligned, Isa, Level, Work};

use super::panel::{Ahead, CentredInput, PointPanel};

/// Bytes of a window, unless its classes would then have fewer than [`PER_CLASS`] rows on average.
const WINDOW: usize = 256 << 10;
/// Rows per class and window, on average.
const PER_CLASS: usize = 24;
/// The largest number of tasks when rows are cut into windows.
const TASKS: usize = 64;
/// The smallest number of bytes of data in a task.
const TASK: usize = 256 << 10;
/// The states of all tasks together take at most the bytes of the data divided by this, so that adding them costs little.
const SHARE: usize = 8;
/// Numbers of states that a thread adds at a time.
const CHUNK: usize = 1 << 16;
/// The largest number of rows in a task when rows are cut by class.
const SLICE: usize = 4096;

/// The sums that a pass computes over the rows of each class.
pub(super) trait Pass: Sync {
    /// The scratch memory of a task.
    type Scratch: Send;
    fn scratch(&self) -> Self::Scratch;

    /// Numbers of state per class.
    fn width(&self) -> usize;

    /// Whether to prefer tasks of a single class.
    fn by_class(&self) -> bool;

    /// Called before the panels of a class.
    ///
    /// # Safety
    /// The processor has the instruction set `I`.
    unsafe fn enter<I: Isa<T = f64>>(&self, class: usize, scratch: &mut Self::Scratch);

    /// Adds a panel to the state of a class; `ahead` is to be fetched meanwhile, as many bytes as the panel has.
    ///
    /// # Safety
    /// The processor has the instruction set `I`.
    unsafe fn add<I: Isa<T = f64>>(
        &self,
        class: usize,
        panel: &PointPanel,
        scratch: &mut Self::Scratch,
        ahead: &mut Ahead,
        state: &mut [f64],
    );
}

/// K states, one after the other.
pub(super) struct States {
    numbers: Vec<Aligned<f64>>,
}

impl States {
    /// All states, one after the other.
    pub(super) fn new(numbers: Aligned<f64>) -> States {
        States { numbers: vec![numbers] }
    }

    /// The state of a class.
    pub(super) fn of(&self, class: usize, width: usize) -> &[f64] {
        match &self.numbers[..] {
            [all] => &all[class * width..(class + 1) * width],
            each => &each[class],
        }
    }
}

/// Runs a pass over all rows.
///
/// Time: one read of the data, and the pass. Memory: O(K width) for each thread and each halving of its tasks.
pub(super) fn run<P: Pass>(level: Level, input: &CentredInput<'_>, pass: &P) -> States {
    let tasks = if pass.by_class() { 0 } else { tasks(input, pass.width()) };
    if tasks == 0 { by_class(level, input, pass) } else { by_window(level, input, pass, tasks) }
}

/// How many tasks the rows are cut into; 0 if their states would be large compared with the data.
fn tasks(input: &CentredInput<'_>, width: usize) -> usize {
    let bytes = input.rows() * input.row_bytes();
    let state = input.classes() * width * size_of::<f64>();
    match bytes / (SHARE * state) {
        0 => 0,
        limit => limit.min(bytes / TASK).clamp(1, TASKS).next_power_of_two(),
    }
}

fn by_window<P: Pass>(level: Level, input: &CentredInput<'_>, pass: &P, tasks: usize) -> States {
    let rows = input.rows();
    let window = (WINDOW / input.row_bytes()).max(PER_CLASS * input.classes());
    let windows = rows.div_ceil(window);
    let bound = |task: usize| (windows * task / tasks * window).min(rows);
    let task = |task: usize| {
        let runs = Runs::Windows(Windows::new(input, bound(task)..bound(task + 1), window));
        level.run(PassTask { input, pass, classes: input.classes(), runs })
    };
    States::new(halves(0..tasks, &task))
}

/// The sum of the states of some tasks: that of the first half plus that of the second, whichever thread computes them.
///
/// A state is added while it is in the cache of the thread, and few states exist at a time.
fn halves(tasks: Range<usize>, state: &(impl Fn(usize) -> Aligned<f64> + Sync)) -> Aligned<f64> {
    if tasks.len() == 1 {
        return state(tasks.start);
    }
    let middle = tasks.start + tasks.len() / 2;
    let (mut sum, other) =
        rayon::join(|| halves(tasks.start..middle, state), || halves(middle..tasks.end, state));
    add(&mut sum, &other);
    sum
}

fn by_class<P: Pass>(level: Level, input: &CentredInput<'_>, pass: &P) -> States {
    let class_state = |class: usize| {
        let state =
            |rows: &[_]| level.run(PassTask { input, pass, classes: 1, runs: Runs::Class(class, rows) });
        let mut states = parallel::map_chunks(input.members(class), SLICE, state).into_iter();
        let mut first = states.next().unwrap_or_else(|| Aligned::zeros(pass.width()));
        states.for_each(|state| add(&mut first, &state));
        first
    };
    States { numbers: parallel::map_range(input.classes(), class_state) }
}

fn add(sum: &mut [f64], other: &[f64]) {
    parallel::for_chunks_mut(sum, CHUNK, |chunk, sum| {
        for (sum, value) in sum.iter_mut().zip(&other[chunk * CHUNK..]) {
            *sum += value;
        }
    });
}

/// Consecutive rows of one class in a task.
struct RowRun<'a> {
    class: usize,
    rows: &'a [usize],
    /// The window after these rows, where another window begins.
    ahead: Option<Ahead>,
}

/// The rows that a task goes through.
enum Runs<'a> {
    Windows(Windows<'a>),
    /// Some rows of one class, which are taken all at once.
    Class(usize, &'a [usize]),
}

impl<'a> Runs<'a> {
    fn next(&mut self) -> Option<RowRun<'a>> {
        match self {
            Runs::Windows(windows) => windows.next(),
            Runs::Class(_, []) => None,
            Runs::Class(class, rows) => {
                Some(RowRun { class: *class, rows: std::mem::take(rows), ahead: Some(Ahead::Listed) })
            }
        }
    }
}

/// Windows, one after the other, each with its rows class after class.
struct Windows<'a> {
    input: &'a CentredInput<'a>,
    window: usize,
    /// The remaining rows, from the start of the current window.
    rows: Range<usize>,
    class: usize,
    /// For each class, how many of its members have been taken.
    taken: Vec<usize>,
    /// The rows to fetch ahead, once a window has begun.
    ahead: Option<Ahead>,
}

impl<'a> Windows<'a> {
    fn new(input: &'a CentredInput<'a>, rows: Range<usize>, window: usize) -> Self {
        // The rows of a class are in ascending order, which `Classes` guarantees, so those of a window are neighbours in the
        // list.
        let before = |class: usize| input.members(class).partition_point(|&row| row < rows.start);
        let taken = (0..input.classes()).map(before).collect();
        let mut windows = Windows { input, window, rows, class: 0, taken, ahead: None };
        windows.begin();
        windows
    }

    /// The end of the current window.
    fn end(&self) -> usize {
        (self.rows.start + self.window).min(self.rows.end)
    }

    fn begin(&mut self) {
        // The next task is likely to be run by this thread, too.
        let end = self.end();
        self.ahead = Some(Ahead::rows(self.input, end..(end + self.window).min(self.input.rows())));
        self.class = 0;
    }

    fn next(&mut self) -> Option<RowRun<'a>> {
        while !self.rows.is_empty() {
            let end = self.end();
            while self.class < self.taken.len() {
                let class = self.class;
                self.class += 1;
                let members = &self.input.members(class)[self.taken[class]..];
                let count = members.iter().take_while(|&&row| row < end).count();
                let rows = &members[..count];
                debug_assert!(rows.iter().all(|row| (self.rows.start..end).contains(row)), "rows ascend");
                self.taken[class] += count;
                if count > 0 {
                    return Some(RowRun { class, rows, ahead: self.ahead.take() });
                }
            }
            self.rows.start = end;
            self.begin();
        }
        None
    }
}

/// A part of a pass, with its own states.
struct PassTask<'a, P> {
    input: &'a CentredInput<'a>,
    pass: &'a P,
    /// How many states there are: one per class, or a single one.
    classes: usize,
    runs: Runs<'a>,
}

impl<P: Pass> Work<f64> for PassTask<'_, P> {
    type Output = Aligned<f64>;

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> Aligned<f64> {
        let PassTask { input, pass, classes, mut runs } = self;
        let width = pass.width();
        let (mut panel, mut scratch) = (PointPanel::new(input.blocks), pass.scratch());
        let mut states = Aligned::zeros(classes * width);
        let mut ahead = Ahead::Listed;
        while let Some(run) = runs.next() {
            ahead = run.ahead.unwrap_or(ahead);
            let place = if classes == 1 { 0 } else { run.class };
            let state = &mut states[place * width..(place + 1) * width];
            let mut rest = run.rows;
            // SAFETY: the caller vouches for the instruction set.
            unsafe {
                pass.enter::<I>(run.class, &mut scratch);
                while !rest.is_empty() {
                    let (rows, later) = rest.split_at(rest.len().min(panel.capacity));
                    panel.pack::<I>(input, run.class, rows, later, &ahead);
                    pass.add::<I>(run.class, &panel, &mut scratch, &mut ahead, state);
                    rest = later;
                }
            }
        }
        states
    }
}
