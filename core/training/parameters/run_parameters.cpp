// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/parameter_groups.h"
#include "training/parameters/parameter_keys.h"

namespace sparserl {

using Spec = ParameterSpec;

namespace {

void addTensors(ParameterDeclarations& all, bool trains)
{
    const std::string group = "Run";
    all.add(Spec::integer(param::threads, 0)
                .range(0, 1024)
                .unit("threads")
                .group(group)
                .help("Threads of the tensor library; 0: one per core. Results are repeatable bit for bit "
                      "only with the same number of threads."));
    all.add(Spec::text(param::device, "auto")
                .group(group)
                .help("Where the policy writes and learns: cpu, cuda, cuda:N, or auto (the first GPU that "
                      "LibTorch can use, otherwise the CPU). A run may be resumed on another device, with "
                      "different rounding."));
    all.add(
        Spec::choice(param::precision, "fp32", {"fp32", "bf16"})
            .group(group)
            .help("Precision of the products inside the policy's layers. Weights, sums and the last layer "
                  "are always fp32; bf16 is for GPUs."));
    if (!trains)
        return;
    all.add(
        Spec::boolean(param::recompute, false)
            .group(group)
            .source("Activation checkpointing, Chen et al. 2016")
            .help("Keep only the input of each layer, recompute the rest in the backward pass, and compute "
                  "the last layer piece by piece. This takes much less memory for large models, long "
                  "programs and large vocabularies, but about a third more time. Gradients do not change."));
}

void addJudge(ParameterDeclarations& all)
{
    const std::string group = "Run";
    all.add(Spec::choice(param::judge::device, "auto", {"auto", "sim", "cuda"})
                .group(group)
                .help("Where programs run: on the simulated device, on a GPU, or (auto) on a GPU if one "
                      "works, otherwise on the simulated device."));
    all.add(Spec::text(param::judge::gpus, "0")
                .group(group)
                .help("Indices of the GPUs that judge programs, separated by commas; 0 is the first GPU."));
    all.add(Spec::text(param::judge::model, "h200")
                .group(group)
                .help("Device model by which the simulated device times programs: h200, generic, or a file "
                      "written by `sparserl device calibrate`."));
    all.add(Spec::choice(param::judge::timing, "standard", {"standard", "paper"})
                .group(group)
                .help("How programs are timed on a GPU. standard: by the median of their calls, compared "
                      "with the best CSR routine of cuSPARSE. paper: as in the SparseRL paper, by the mean "
                      "of 1,000 calls, compared with cuSPARSE's default algorithm."));
    all.add(Spec::boolean(param::judge::inTurn, false)
                .group(group)
                .help("On a GPU: time every correct program in alternation with the baseline. This is "
                      "meant for final figures."));
    all.add(Spec::boolean(param::judge::cold, false)
                .group(group)
                .help("On a GPU: also time programs with empty caches. Rewards do not use these times, and "
                      "measuring them takes longer than all other steps of judging."));
    all.add(Spec::integer(param::judge::seed, 0)
                .atLeast(0)
                .group(group)
                .help("Secret from which the test matrices, inputs and schedules of every judged program are "
                      "derived. 0: an unpredictable secret, which is drawn when the run is created and "
                      "written into its run.toml."));
    all.add(Spec::choice(param::judge::sandbox, "none", {"none", "calls", "files", "full"})
                .group(group)
                .help("Minimum level of the lock on processes that run programs; if only a weaker lock is "
                      "possible, the run does not start. docs/sandbox.md defines the levels."));
    all.add(
        Spec::real(param::system::every, 5.0)
            .range(0, 86400)
            .unit("s")
            .nextIteration()
            .group(group)
            .source("ours")
            .help("Record the run's use of processors, memory, disk and GPUs as metrics system/*, between "
                  "steps, at most once per interval of this length; 0: never."));
}

} // namespace

ParameterDeclarations commonParameters(bool trains)
{
    const std::string group = "Run";
    ParameterDeclarations all = {
        Spec::integer(param::seed, 1)
            .atLeast(0)
            .group(group)
            .help("Seed from which all random choices of this run are derived."),
    };
    addTensors(all, trains);
    addJudge(all);
    return all;
}

void addTask(ParameterDeclarations& all)
{
    const std::string group = "Run";
    all.add(Spec::choice(param::task, "spmv", {"spmv", "spmm", "both"})
                .group(group)
                .source("SparseRL 3.1")
                .help("What programs compute: y = A x, or C = A B with a dense B of dense_columns columns. A "
                      "policy that was trained for one task writes programs for that task. With the value "
                      "\"both\", the policy writes programs for SpMV and for SpMM for every matrix, and the "
                      "prompt names the task (this needs sft.prompt = always)."));
    all.add(Spec::integer(param::denseColumns, 8)
                .range(2, 1024)
                .unit("columns")
                .group(group)
                .source("SparseRL 4: 8 and 32")
                .help("Number of columns of B, if the task is spmm or both."));
    all.add(Spec::text(param::moreColumns, "")
                .group(group)
                .source("ours")
                .help("Further numbers of columns of B, separated by commas. The policy writes programs for "
                      "each of these numbers, and the prompt names the number (this needs sft.prompt = "
                      "always)."));
    all.add(Spec::choice(param::elementType, "f32", {"f32", "f64"})
                .group(group)
                .source("ours")
                .help("Precision in which programs compute: single (f32), or double (f64) with the values as "
                      "they were imported. A policy writes programs for the element type with which it was "
                      "trained."));
}

ParameterDeclarations checkpointParameters(std::int64_t every, std::int64_t evalEvery, bool samples)
{
    const std::string group = "Checkpoints and evaluation";
    ParameterDeclarations all = {
        Spec::integer(param::checkpoint::every, every)
            .atLeast(1)
            .unit("steps")
            .nextIteration()
            .group(group)
            .help("Number of steps between checkpoints. A checkpoint is also written at the end."),
        Spec::integer(param::checkpoint::keep, 3)
            .atLeast(1)
            .nextIteration()
            .group(group)
            .help("Number of newest checkpoints that are kept; older ones are deleted."),
        Spec::integer(param::eval::every, evalEvery)
            .atLeast(0)
            .unit("steps")
            .nextIteration()
            .group(group)
            .help(samples ? "Number of steps between evaluations on held-out matrices; 0: only at the "
                            "start and at the end."
                          : "Number of steps between measurements on held-out texts; 0: only at the start "
                            "and at the end."),
    };
    if (samples)
        all.add(Spec::integer(param::eval::samples, 4)
                    .range(0, 1024)
                    .unit("programs")
                    .nextIteration()
                    .group(group)
                    .help("Number of programs sampled for each held-out matrix in an evaluation; 0: none."));
    return all;
}

} // namespace sparserl
