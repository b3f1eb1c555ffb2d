// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparserl {

/// What programs get of the toolkit's header `name` differs from its `text` in one place: cooperative groups'
/// tiles of 64 to 512 threads meet in shared memory that the driver reserves, which nothing here watches;
/// they get as much of the block's own. A text that is not as expected stays as it is, and such tiles are
/// then rejected.
void changeHeader(std::string_view name, std::string& text);

/// The PTX of a program with such tiles, with the barriers in that memory cleared where each kernel begins,
/// as the driver has cleared its own; any other PTX as it is.
std::string clearTileBarriers(std::string ptx);

} // namespace sparserl
