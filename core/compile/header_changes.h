// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparserl {

/// Changes the `text` of the toolkit's header `name` in one place. In cooperative groups, tiles of 64 to 512
/// threads synchronise through shared memory that the driver reserves, and no check observes that memory. The
/// changed header uses the same amount of the block's own shared memory. If the text is not the expected one,
/// it stays unchanged, and programs with these tiles are then rejected.
void changeHeader(std::string_view name, std::string& text);

/// In the PTX of a program with these tiles, inserts code at the start of each kernel that clears these
/// tiles' barriers in shared memory, as the driver clears the barriers in its own memory. Returns other PTX
/// unchanged.
std::string clearTileBarriers(std::string ptx);

} // namespace sparserl
