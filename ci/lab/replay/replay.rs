// criterion on recorded times: each line of the file REPLAY is a benchmark's name and its samples
// in nanoseconds, and each sample is what iter_custom says that an iteration took.
use criterion::Criterion;
use std::time::Duration;

fn main() {
    let path = std::env::var("REPLAY").expect("REPLAY names the file of samples");
    let text = std::fs::read_to_string(path).expect("the file of samples");
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("replay");
    group.warm_up_time(Duration::from_nanos(1)); // nothing here becomes warm
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let name = words.next().expect("a name").to_string();
        let samples: Vec<u64> = words.map(|word| word.parse().expect("nanoseconds")).collect();
        let mut calls = 0;
        group.sample_size(samples.len());
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                calls += 1; // as many calls in a row as there are samples take each of them once
                Duration::from_nanos(samples[calls % samples.len()] * iterations)
            })
        });
    }
    group.finish();
}
