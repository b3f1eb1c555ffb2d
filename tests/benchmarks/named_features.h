// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/features.h"
#include "matrix/matrix_list.h"

#include <map>
#include <span>
#include <string>

/// Features of every matrix of the given packs and files, by name; those that cannot be read are left out.
/// Fails for a word that names none.
inline sparserl::Result<std::map<std::string, sparserl::MatrixFeatures>>
namedFeatures(std::span<const char* const> words)
{
    std::map<std::string, sparserl::MatrixFeatures> features;
    for (const char* word : words) {
        SPARSERL_TRY(const auto listed, sparserl::listMatrices(word));
        for (const sparserl::ListedMatrix& entry : listed) {
            if (const auto matrix = entry.load({}))
                features[entry.name] = sparserl::computeFeatures(*matrix);
        }
    }
    return features;
}
