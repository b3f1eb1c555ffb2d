// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/parameter_groups.h"
#include "training/parameters/parameter_keys.h"

namespace sparserl {

using Spec = ParameterSpec;

void addSearch(ParameterDeclarations& all)
{
    const std::string group = "Search";
    all.add(Spec::text(param::search::matrices, "")
                .group(group)
                .help("The matrices of the project for which programs are searched, by name or digest, "
                      "separated by semicolons; empty: all."));
    all.add(Spec::choice(param::search::split, "all", {"all", "train", "held-out"})
                .group(group)
                .help("Restricts the search to the matrices of search.matrices that belong to this split; "
                      "all: no restriction."));
    all.add(Spec::real(param::search::seconds, 60.0)
                .range(1, 1e6)
                .unit("s")
                .nextIteration()
                .group(group)
                .help("Time for each matrix, not counting the final ranking. Pauses do not count."));
    all.add(Spec::integer(param::search::candidates, 0)
                .range(0, 100000000)
                .unit("programs")
                .nextIteration()
                .group(group)
                .help("Number of programs to judge for each matrix; it replaces search.seconds. 0: as "
                      "many as time allows."));
    all.add(Spec::integer(param::search::generation, 0)
                .range(0, 10000)
                .unit("programs")
                .group(group)
                .help("Number of programs proposed per generation; 0: 24, or 96 on a GPU."));
    all.add(
        Spec::integer(param::search::benchPrograms, 32)
            .range(1, 1000)
            .unit("programs")
            .group(group)
            .help("Number of programs of `bench` that are tried first; the gain is measured against the best "
                  "of them."));
    all.add(Spec::text(param::search::families, "")
                .group(group)
                .help("Kernel families, such as S1,S6, from which the programs of `bench` and of the grid "
                      "are taken; empty: all. Edits of these programs are not restricted."));
    all.add(Spec::text(param::search::shares, "grid=0.3,edits=0.7")
                .group(group)
                .help("Initial shares of the sources of programs; during the search, the shares adapt to the "
                      "success of the sources. If the search has a policy that is not named here, the policy "
                      "begins with a share of 0.3, and the other sources get less."));
    all.add(Spec::text(param::search::endpoint, "")
                .group(group)
                .help("Name of one of the user's endpoints (`sparserl endpoint list`): the model on that "
                      "server proposes programs in place of a policy. Empty: none."));
    all.add(Spec::text(param::search::temperatures, "")
                .group(group)
                .help("Sampling temperatures of the policy, separated by commas, which are used in turn; "
                      "empty: the policy's own temperature."));
    all.add(Spec::integer(param::search::samples, 15)
                .range(3, 1000)
                .unit("samples")
                .group(group)
                .help("On a GPU: number of samples for each time that is measured during the search. The "
                      "final ranking takes more."));
    all.add(Spec::integer(param::search::rounds, 0)
                .range(0, 100)
                .unit("rounds")
                .group(group)
                .help("Number of rounds at the end that compare the record (the best program found) with "
                      "the best program of `bench`; 0: 1, or 3 on a GPU."));
    all.add(Spec::boolean(param::search::ranking, true)
                .group(group)
                .nextIteration()
                .help("Whether the search of each matrix ends with a ranking, in which its best programs are "
                      "judged again in new processes. A search whose programs are only to be trained on "
                      "(sft.records) does not need it: they are judged again there."));
}

} // namespace sparserl
