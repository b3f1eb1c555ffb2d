// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// The main function of sparserl-oracle. It serves the role `oracle`, which runs operator graphs through
/// LibTorch, in a process with the same lock as the roles compile and sim.
int oracleMain(int argc, char** argv);

} // namespace sparserl
