// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/control_case.h"

#include "evaluation/cases/oracle.h"
#include "evaluation/cases/shared_matrix.h"

#include <algorithm>

namespace sparserl {

namespace {

/// 40 rows of a band, one of them empty.
Result<SharedMatrix> controlMatrix()
{
    Csr matrix;
    matrix.rows = matrix.cols = 40;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        for (std::int32_t column = row; row != 7 && column < std::min(row + 3, matrix.cols); ++column) {
            matrix.col.push_back(column);
            matrix.val.push_back(0.5f + static_cast<float>(column) / 64);
        }
        matrix.rowPtr.push_back(static_cast<std::int32_t>(matrix.col.size()));
    }
    return SharedMatrix::make("control", std::make_shared<const Csr>(std::move(matrix)));
}

} // namespace

Result<CasePlan> controlCase()
{
    SPARSERL_TRY(const auto matrix, controlMatrix());
    const Numbers x = std::vector<float>(static_cast<std::size_t>(matrix.matrix->cols), 0.75f);
    CaseCheck check;
    check.references = {std::make_shared<Reference>(reference(*matrix.matrix, x, 1, Signs::Any))};
    SimulationCase settings;
    settings.checks = Checks::All;
    settings.stepBudget = defaultStepBudget(matrix.workload({}));
    CasePlan cases;
    cases.add(matrix, {x}, settings, std::move(check));
    return cases;
}

} // namespace sparserl
