// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// Layers of an encoder or a decoder at most. Several times what any published model has: a file of a hundred
/// megabytes could ask for a million, and a model of so many small tensors takes hours to put together.
constexpr int mostLayers = 1000;

} // namespace sparserl
