// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/parameter_groups.h"
#include "training/parameters/parameter_keys.h"

namespace sparserl {

using Spec = ParameterSpec;

void addEvaluation(ParameterDeclarations& all)
{
    const std::string group = "Evaluation";
    all.add(Spec::integer(param::evaluate::samples, 20)
                .range(1, 100000)
                .unit("programs")
                .group(group)
                .source("SparseRL 4: pass@k")
                .help("Number of programs sampled for each matrix."));
    all.add(Spec::text(param::evaluate::endpoint, "")
                .group(group)
                .help("Name of one of the user's endpoints (`sparserl endpoint list`): the model on that "
                      "server is evaluated in place of a policy. Empty: none."));
    all.add(Spec::real(param::evaluate::budget, 0.0)
                .range(0, 1e9)
                .unit("s")
                .group(group)
                .source("SparseRL A.24: 3 minutes a matrix")
                .help("Stop sampling further programs of a matrix after this many seconds of sampling and "
                      "judging it; 0: no limit."));
    all.add(Spec::text(param::evaluate::k, "1,5,10")
                .group(group)
                .help("Values of k in pass@k, separated by commas; those above the number of samples are "
                      "left out."));
    all.add(Spec::text(param::evaluate::matrices, "")
                .group(group)
                .help("The matrices of the project on which the policy is evaluated, by name or digest, "
                      "separated by semicolons; empty: all. `sparserl evaluate` writes digests here."));
    all.add(
        Spec::choice(param::evaluate::split, "held-out", {"held-out", "train", "all"})
            .group(group)
            .help("Restricts the evaluation to the matrices of evaluate.matrices that belong to this split; "
                  "all: no restriction."));
    all.add(
        Spec::choice(param::evaluate::order, "as-is", {"as-is", "longest-first", "cuthill-mckee", "shuffled"})
            .group(group)
            .source("SparseRL A.22")
            .help("Order of the rows and columns of matrices, for the policy and for the judge. shuffled: a "
                  "random order that depends on the seed, to test whether the policy is sensitive to the "
                  "order."));
    all.add(Spec::integer(param::evaluate::orderSeed, 0)
                .atLeast(0)
                .group(group)
                .help("Selects one of the shuffled orders that belong to a seed. Each number selects a "
                      "different order."));
    all.add(
        Spec::real(param::evaluate::temperature, 1.0).above(0).group(group).help("Sampling temperature."));
    all.add(Spec::text(param::evaluate::temperatures, "")
                .group(group)
                .help("Candidates for the temperature, separated by commas. The candidate with the highest "
                      "mean reward on the training matrices replaces evaluate.temperature. Empty: none."));
    addEvaluateDecoding(all);
    all.add(Spec::integer(param::evaluate::maxTokens, 0)
                .range(0, 65536)
                .unit("tokens")
                .group(group)
                .help("Length of the longest program, including end-of-sequence; 0: the policy's own "
                      "limit."));
    all.add(Spec::boolean(param::evaluate::verifier, true)
                .group(group)
                .source("SparseRL A.3")
                .help("Stop a sample as soon as it can no longer compile."));
    all.add(Spec::integer(param::evaluate::information, 4)
                .range(0, 1024)
                .unit("programs")
                .group(group)
                .help("To find out whether the policy reads its matrix, the probability of this many "
                      "programs per matrix is computed under every matrix, for at most 32 matrices; 0: "
                      "none."));
    all.add(Spec::boolean(param::evaluate::exchange, true)
                .group(group)
                .help("Also judge the programs of evaluate.information on a matrix for which they were "
                      "not written."));
    addRewards(all, group, 0, false);
}

} // namespace sparserl
