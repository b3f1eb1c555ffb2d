// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/policy_facts.h"

#include <QString>

namespace sparserl {

/// "qwen2, 24 layers of width 896"
QString architectureText(const PolicyFacts& facts);
/// "494,032,768", and how many of the weights learn if some do not.
QString weightsText(const PolicyFacts& facts);
/// "rank 16 on q_proj, v_proj", or "none".
QString adaptersText(const PolicyFacts& facts);
/// All of this in a sentence, with the tokenizer and the licence.
QString factsText(const PolicyFacts& facts);

} // namespace sparserl
