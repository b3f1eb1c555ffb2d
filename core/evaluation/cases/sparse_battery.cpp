// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/sparse_battery.h"

#include "evaluation/cases/aligned_input.h"
#include "evaluation/cases/input_mixture.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/target_context.h"
#include "evaluation/cases/value_kinds.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr std::size_t kindsPerShape = 2; ///< Of three shapes: more than half of all kinds.

} // namespace

Result<std::unique_ptr<SparseBattery>> SparseBattery::make(const CaseMaker& maker)
{
    std::unique_ptr<SparseBattery> made(new SparseBattery(maker));
    SPARSERL_TRY(made->m_shapes[ElementType::F32], made->makeShapes(ElementType::F32));
    return made;
}

Result<std::vector<SparseBattery::Shape>> SparseBattery::makeShapes(ElementType type) const
{
    const std::string ofType = type == ElementType::F32 ? "" : fmt::format("/{}", nameOf(type));
    std::vector<Shape> shapes;
    Rng rng(deriveSeed(m_maker.secret(), 0, "battery values" + ofType));
    const auto kinds = specialKinds(2, rng);
    std::size_t nextKind = 0;
    for (auto& shape : batteryShapes(deriveSeed(m_maker.secret(), 0, "battery" + ofType))) {
        if (shape.matrix.type != type)
            shape.matrix = inType(shape.matrix, type);
        Shape kept;
        kept.name = shape.name;
        kept.exact = shape.exact;
        auto values = std::make_shared<Csr>();
        if (shape.exact) {
            kept.values = CaseValues::Exact;
            kept.exactValues = ExactValues::make(shape.matrix, rng);
            *values = kept.exactValues.takeMatrix();
        } else {
            // As real matrices have them, or of sizes that real ones never have.
            const bool ordinary = rng.below(3) > 0;
            kept.values = ordinary ? CaseValues::Ordinary : CaseValues::Wide;
            *values = ordinary ? withDrawnValues(shape.matrix, rng)
                               : withWideValues(shape.matrix, Scaling::make(shape.matrix, rng), rng);
            kept.range = InputRange::of(*values);
            for (std::size_t i = 0; i < kindsPerShape; ++i)
                kept.kinds.push_back(kinds[nextKind++ % kinds.size()]);
            kept.kinds.push_back(timedKinds[rng.below(timedKinds.size())]); // As most calls on targets have.
        }
        SPARSERL_TRY(auto shared, SharedMatrix::make("battery/" + shape.name + ofType, std::move(values)));
        kept.shared = std::move(shared);
        shapes.push_back(std::move(kept));
    }
    return shapes;
}

const std::vector<InputMixture>& SparseBattery::inputsOf(const std::vector<Shape>& shapes,
                                                         const TargetVariant& variant)
{
    constexpr std::size_t mostKept = 8;
    const std::int64_t columns = variant.columns;
    const std::pair key{columns, variant.type};
    if (const auto it = m_inputs.find(key); it != m_inputs.end())
        return it->second;
    if (m_inputs.size() >= mostKept)
        m_inputs.clear();
    std::vector<InputMixture>& made = m_inputs[key];
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const Shape& shape = shapes[i];
        Rng rng(deriveSeed(m_maker.secret(), i, "battery inputs"));
        std::vector<Input> inputs;
        if (shape.exact)
            inputs.push_back({InputKind::Random, shape.exactValues.vector(columns, rng), Signs::Any});
        for (const InputKind kind : shape.kinds)
            inputs.push_back(makeInput(kind, shape.range, columns, rng));
        if (!shape.exact && canBeAligned(shape.range))
            inputs.push_back(alignedInput(shape.range, columns, rng));
        made.push_back(withReferences(*shape.shared.matrix, std::move(inputs), columns,
                                      m_maker.options().observer.get()));
    }
    return made;
}

Result<CasePlan> SparseBattery::cases(const TargetVariant& variant, FactorUse use)
{
    auto& shapes = m_shapes[variant.type];
    if (shapes.empty()) {
        SPARSERL_TRY(shapes, makeShapes(variant.type));
    }
    CasePlan cases;
    const std::vector<InputMixture>& inputs = inputsOf(shapes, variant);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const Shape& shape = shapes[i];
        const std::uint64_t seed = deriveSeed(m_maker.secret(), i, "battery inputs");
        CaseCheck check;
        check.name = shape.name;
        check.mayNotApply = true;
        check.exact = shape.exact;
        check.values = shape.values;
        auto drawn = m_maker.settings(seed, Checks::All, shape.shared.workload(variant));
        drawn.layout = AddressLayout::Apart; // So that leaving an array is a fault that names it.
        addMixture(cases, shape.shared, inputs[i], drawn, std::move(check));
    }
    if (use.any())
        SPARSERL_CHECK(addScaled(cases, shapes, variant, use));
    return cases;
}

Result<std::vector<SparseBattery::ScaledShape>>
SparseBattery::makeScaledShapes(const std::vector<Shape>& shapes, const TargetVariant& variant,
                                FactorUse use) const
{
    std::vector<ScaledShape> made;
    Rng rng(deriveSeed(m_maker.secret(), 0, "battery factors"));
    const std::vector<FactorKind> all = factorKinds(use);
    std::vector<FactorKind> others(all.begin() + 1, all.end());
    rng.shuffle(others);
    std::size_t next = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const Shape& shape = shapes[i];
        ScaledShape& one = made.emplace_back();
        // Runners know it by its key: it depends on nothing but the shape.
        Rng values(deriveSeed(m_maker.secret(), i, "battery integers"));
        SPARSERL_TRY(one.integers, SharedMatrix::make(shape.shared.key + "/integers",
                                                      std::make_shared<const Csr>(
                                                          withSmallIntegers(*shape.shared.matrix, values))));
        for (std::size_t k = 0; k < exactScaled; ++k)
            one.exact.push_back(exactScaledInput(use, *one.integers.matrix, variant.columns, rng));
        std::vector<FactorKind> kinds{all.front()};
        // Some shape with entries meets every kind; one without says little about alpha.
        const bool empty = shape.shared.matrix->nnz() == 0;
        for (std::size_t k = 0; k < factorKindsOfShape; ++k)
            kinds.push_back(others[(empty ? rng.below(others.size()) : next++) % others.size()]);
        const Csr& matrix = shape.exact ? *one.integers.matrix : *shape.shared.matrix;
        one.drawn = scaledInputs(kinds, use, matrix, shape.exact ? InputRange::of(matrix) : shape.range,
                                 variant.columns, rng);
    }
    return made;
}

Status SparseBattery::addScaled(CasePlan& cases, const std::vector<Shape>& shapes,
                                const TargetVariant& variant, FactorUse use)
{
    constexpr std::size_t mostKept = 8;
    if (m_scaledShapes.size() > mostKept)
        m_scaledShapes.clear();
    auto& scaled = m_scaledShapes[{variant.columns, variant.type, use.alpha, use.beta}];
    if (scaled.empty()) {
        SPARSERL_TRY(scaled, makeScaledShapes(shapes, variant, use));
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const std::uint64_t seed = deriveSeed(m_maker.secret(), i, "battery factors");
        CaseCheck check;
        check.name = shapes[i].name;
        check.mayNotApply = true;
        check.exact = true;
        check.values = CaseValues::Exact;
        m_maker.addScaled(cases, scaled[i].integers, scaled[i].exact, check, Checks::All, false, variant,
                          seed);
        check.exact = false;
        check.values = shapes[i].values;
        m_maker.addScaled(cases, shapes[i].exact ? scaled[i].integers : shapes[i].shared, scaled[i].drawn,
                          check, Checks::All, false, variant, seed + 1);
    }
    return {};
}

} // namespace sparserl
