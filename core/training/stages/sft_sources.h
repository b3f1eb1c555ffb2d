// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/files/sft_set.h"
#include "training/data/sft_data.h"
#include "training/work/stage_context.h"

#include <vector>

namespace sparserl {

/// Returns which programs stage sft judges and trains on: draws from the corpus, the project's SFT set, and
/// the records of its searches. Fails for unknown families, and if records of searches are requested but
/// there are none.
Result<SftDataOptions> sftDataOptions(StageContext& context);

/// Logs how many programs from the SFT set and from searches are used, and why the others are not used.
Status tellChosen(StageContext& context, const std::vector<SftExample>& examples,
                  const std::vector<ChosenProgram>& chosen);

} // namespace sparserl
