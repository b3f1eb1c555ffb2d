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

/// The fixed shapes of docs/design.md 5.2, with every check. They depend on the judge's secret and the
/// variant only, so programs share them.
class SparseBattery
{
public:
    /// Makes the shapes of F32.
    static Result<std::unique_ptr<SparseBattery>> make(const CaseMaker& maker);

    /// For a program that takes such factors.
    Result<CasePlan> cases(const TargetVariant& variant, FactorUse use);
    /// A shape, for what needs any small matrix.
    const SharedMatrix& smallMatrix() const { return m_shapes.begin()->second.front().shared; }

private:
    /// A shape with its values.
    struct Shape
    {
        std::string name;
        bool exact = false;
        CaseValues values = CaseValues::Ordinary;
        SharedMatrix shared;
        ExactValues exactValues;      ///< Where exact, without its matrix.
        std::vector<InputKind> kinds; ///< Otherwise; some shape meets every kind.
        InputRange range;
    };
    /// What a shape asks of programs that take factors.
    struct ScaledShape
    {
        SharedMatrix integers;                 ///< Of withSmallIntegers.
        std::vector<ScaledInput> exact, drawn; ///< For it; for the shape, or for it where that is exact.
    };

    explicit SparseBattery(const CaseMaker& maker)
        : m_maker(maker)
    {
    }
    /// Shapes with values of a type. They depend on the secret and the type only.
    Result<std::vector<Shape>> makeShapes(ElementType type) const;
    Result<std::vector<ScaledShape>> makeScaledShapes(const std::vector<Shape>& shapes,
                                                      const TargetVariant& variant, FactorUse use) const;
    /// The same cases with other alpha and beta.
    Status addScaled(CasePlan& cases, const std::vector<Shape>& shapes, const TargetVariant& variant,
                     FactorUse use);
    /// Of each shape.
    const std::vector<InputMixture>& inputsOf(const std::vector<Shape>& shapes, const TargetVariant& variant);

    const CaseMaker& m_maker;
    std::map<ElementType, std::vector<Shape>> m_shapes; ///< Of F32; of others when first asked for.
    std::map<std::pair<std::int64_t, ElementType>, std::vector<InputMixture>> m_inputs;
    std::map<std::tuple<std::int64_t, ElementType, bool, bool>, std::vector<ScaledShape>> m_scaledShapes;
};

} // namespace sparserl
