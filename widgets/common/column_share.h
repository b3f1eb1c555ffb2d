// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

namespace sparserl {

/// What one visible column of a table asks for. All widths are in pixels.
struct ColumnWish
{
    int sample = 0;      ///< The usual width where there is room; of a fixed column: its width.
    int whole = 0;       ///< What its contents and its title need.
    int least = 0;       ///< Below this its text cannot be read.
    bool number = false; ///< A part of a number is another number: it is never cut.
    bool fixed = false;  ///< The user chose its width, or it holds no text.
};

/// Widths of the columns, in their order, that fill `view` pixels. `first` takes what the others leave.
///
/// Where there is room for all contents, columns get their usual widths as far as that room goes. Where there
/// is not, the longest texts are cut, all to one width: so a short text is whole beside a long one that is
/// cut. Returns nothing if even that is not enough, and the table has to scroll.
std::optional<std::vector<int>> shareWidth(const std::vector<ColumnWish>& wishes, std::size_t first,
                                           int view);

} // namespace sparserl
