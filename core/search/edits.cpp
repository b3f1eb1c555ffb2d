// SPDX-License-Identifier: Apache-2.0
#include "search/edits.h"

#include <algorithm>
#include <array>

namespace sparserl {

namespace {

constexpr std::array kinds{
    EditKind{"block-size", "threads of a block, in plan and code", false, editBlockSize},
    EditKind{"constant", "a constant twice, half, one more or one less", false, editConstant},
    EditKind{"row-classes", "the row length at which one class of rows ends", false, editRowClasses},
    EditKind{"format", "a parameter of a storage format", false, editFormat},
    EditKind{"load-hint", "how the caches treat loads of one array", false, editLoadHint},
    EditKind{"store-hint", "how the caches treat stores to one array", false, editStoreHint},
    EditKind{"restrict", "__restrict__ on pointers, or none", false, editRestrict},
    EditKind{"unroll", "#pragma unroll of a loop", false, editUnroll},
    EditKind{"batch-size", "entries whose loads are in flight together", false, editBatchSize},
    EditKind{"batch", "a loop in batches, and one for the rest", false, editBatch},
    EditKind{"split-loop", "a main loop without checks of bounds, and the rest", false, editSplitLoop},
    EditKind{"accumulators", "two sums instead of one", false, editAccumulators},
    EditKind{"index-type", "the type of a loop's index", false, editIndexType},
    EditKind{"function-copy", "a function of its own for one call, batched otherwise", false,
             editFunctionCopy},
    EditKind{"launch-bounds", "registers by __launch_bounds__", false, editLaunchBounds},
    EditKind{"rows-per-thread", "several rows for each thread", false, editRowsPerThread},
    EditKind{"sorted-rows", "rows by length, the longest first", false, editSortedRows},
    EditKind{"block-order", "blocks in the opposite order", false, editBlockOrder},
    EditKind{"shuffle", "the other tree of shuffles", false, editShuffle},
    EditKind{"class-lanes", "lanes for each row of one class of rows", false, editClassLanes},
    EditKind{"take-function", "a function of another program", true, editTakeFunction},
    EditKind{"take-constants", "constants and formats of another program", true, editTakeConstants},
    EditKind{"take-loop", "a loop of another program", true, editTakeLoop},
};

} // namespace

std::span<const EditKind> editKinds()
{
    return kinds;
}

const EditKind* findEditKind(std::string_view name)
{
    const auto found =
        std::find_if(kinds.begin(), kinds.end(), [&](const EditKind& kind) { return kind.name == name; });
    return found == kinds.end() ? nullptr : &*found;
}

} // namespace sparserl
