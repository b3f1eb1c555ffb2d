// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// The main function of sparserl-oracle: the role `oracle`, which runs operator graphs through LibTorch in a
/// process that is locked as those of compile and sim are.
int oracleMain(int argc, char** argv);

} // namespace sparserl
