//! With the same number of evaluations, the guided search finds better settings than the random one.

use clmatch_tune::{Budget, Optimizer, Setting, Space, maximize, random};

use crate::functions::{
    Noise, branin, branin_space, hartmann, hartmann_space, integer_space, mixed, mixed_space, ripple,
};

const SEEDS: u64 = 50;
/// 90% of the seeds.
const WINS: usize = 45;

/// True values of what a guided and a random search report as best.
struct Duel {
    guided: f64,
    random: f64,
}

/// One duel a seed, on two threads.
fn duels(duel: impl Fn(u64) -> Duel + Sync) -> Vec<Duel> {
    let half = |from: u64| (from..SEEDS).step_by(2).map(&duel).collect::<Vec<Duel>>();
    std::thread::scope(|scope| {
        let odd = scope.spawn(|| half(1));
        let mut all = half(0);
        all.extend(odd.join().unwrap());
        all
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn assert_wins(name: &str, duels: &[Duel]) {
    let wins = duels.iter().filter(|duel| duel.guided > duel.random).count();
    let guided = median(duels.iter().map(|duel| duel.guided).collect());
    let random = median(duels.iter().map(|duel| duel.random).collect());
    println!("{name}: {wins} wins of {}, medians {guided:.4} and {random:.4}", duels.len());
    assert!(wins >= WINS, "{name}: {wins} wins of {}", duels.len());
}

fn deterministic(space: &Space, budget: Budget, objective: impl Fn(&Setting) -> f64 + Sync) -> Vec<Duel> {
    duels(|seed| Duel {
        guided: maximize(space, budget, seed, &objective).unwrap().best.value,
        random: random::maximize(space, budget.total(), seed, &objective).unwrap().best.value,
    })
}

#[test]
fn on_branin() {
    assert_wins("Branin", &deterministic(&branin_space(), Budget::default(), branin));
}

#[test]
fn on_hartmann_in_six_dimensions() {
    let budget = Budget { random: 10, guided: 40 };
    assert_wins("Hartmann-6", &deterministic(&hartmann_space(), budget, hartmann));
}

#[test]
fn on_integers() {
    assert_wins("integers", &deterministic(&integer_space(), Budget::default(), ripple));
}

#[test]
fn on_a_mixed_space() {
    assert_wins("mixed", &deterministic(&mixed_space(), Budget::default(), mixed));
}

/// The best twentieth of Branin's domain spans five.
const BRANIN_NOISE: f64 = 2.0;

/// Duels on noisy observations, judged by the true value of the setting that a search settles on.
fn noisy_duels(settle: impl Fn(&Optimizer) -> Setting + Sync) -> Vec<Duel> {
    let (space, budget) = (branin_space(), Budget::default());
    duels(|seed| {
        let mut noise = Noise::new(seed, BRANIN_NOISE);
        let noisy = |setting: &Setting| branin(setting) + noise.draw();
        let random = random::maximize(&space, budget.total(), seed, noisy).unwrap();
        let mut noise = Noise::new(seed, BRANIN_NOISE);
        let mut optimizer = Optimizer::new(&space, seed, budget.random);
        for _ in 0..budget.total() {
            let setting = optimizer.ask().unwrap();
            optimizer.tell(&setting, branin(&setting) + noise.draw()).unwrap();
        }
        Duel { guided: branin(&settle(&optimizer)), random: branin(&random.best.setting) }
    })
}

#[test]
fn on_noisy_branin_by_observation() {
    assert_wins("noisy Branin", &noisy_duels(|optimizer| optimizer.best().unwrap().setting.clone()));
}

#[test]
fn on_noisy_branin_by_model() {
    assert_wins(
        "noisy Branin by model",
        &noisy_duels(|optimizer| optimizer.best_by_model().unwrap().setting),
    );
}
