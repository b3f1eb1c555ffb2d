// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// Cooperative groups' tiles of 64 to 512 threads meet in shared memory that the driver reserves, which nothing here
/// watches. In a program they get as much of the block's own: `header`, the text of cooperative_groups/details/memory.h,
/// is changed to that. A text that is not as expected stays as it is, and such tiles are then rejected.
void giveTilesMemory(std::string& header);

/// The PTX of such a program with the barriers in that memory cleared where each kernel begins, as the driver has
/// cleared its own; any other PTX as it is.
std::string clearTileBarriers(std::string ptx);

} // namespace sparserl
