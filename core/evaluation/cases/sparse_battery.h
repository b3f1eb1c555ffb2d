// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_maker.h"
#include "evaluation/cases/exact_values.h"
#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/input_mixture.h"
#include "evaluation/cases/scaled_calls.h"
#include "evaluation/cases/shared_matrix.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sparserl {

/// The fixed shapes of docs/design.md 5.2, on which programs run with every check. The shapes depend only on
/// the judge's secret and the variant, so all programs share them.
class SparseBattery
{
public:
    /// Creates the shapes for F32.
    static Result<std::unique_ptr<SparseBattery>> make(const CaseMaker& maker);

    /// Returns the cases for a program that takes these factors.
    Result<CasePlan> cases(const TargetVariant& variant, FactorUse use);
    /// Returns one of the shapes for code that needs any small matrix.
    const SharedMatrix& smallMatrix() const { return m_shapes.begin()->second.front().shared; }

private:
    /// A shape with its values.
    struct Shape
    {
        std::string name;
        bool exact = false;
        CaseValues values = CaseValues::Ordinary;
        SharedMatrix shared;
        ExactValues exactValues;      ///< Set if `exact`, without the matrix.
        std::vector<InputKind> kinds; ///< Set unless `exact`; all shapes together cover every kind.
        InputRange range;
    };
    /// The calls of a shape for programs that take factors.
    struct ScaledShape
    {
        SharedMatrix integers;                 ///< From withSmallIntegers.
        std::vector<ScaledInput> exact, drawn; ///< `exact` are calls on `integers`. `drawn` are calls on the
                                               ///< shape or, if the shape is exact, on `integers`.
    };

    explicit SparseBattery(const CaseMaker& maker)
        : m_maker(maker)
    {
    }
    /// Creates the shapes with values of a type. They depend only on the secret and the type.
    Result<std::vector<Shape>> makeShapes(ElementType type) const;
    Result<std::vector<ScaledShape>> makeScaledShapes(const std::vector<Shape>& shapes,
                                                      const TargetVariant& variant, FactorUse use) const;
    /// Adds the same cases with other alpha and beta.
    Status addScaled(CasePlan& cases, const std::vector<Shape>& shapes, const TargetVariant& variant,
                     FactorUse use);
    /// Returns the inputs of each shape.
    const std::vector<InputMixture>& inputsOf(const std::vector<Shape>& shapes, const TargetVariant& variant);

    const CaseMaker& m_maker;
    std::map<ElementType, std::vector<Shape>> m_shapes; ///< The shapes for F32; for other types, on demand.
    std::map<std::pair<std::int64_t, ElementType>, std::vector<InputMixture>> m_inputs;
    std::map<std::tuple<std::int64_t, ElementType, bool, bool>, std::vector<ScaledShape>> m_scaledShapes;
};

} // namespace sparserl
