// SPDX-License-Identifier: Apache-2.0
#include "policy/kernels/head_product.h"

namespace sparserl {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

/// a b in fp32, of bf16 matrices. LibTorch has the product with a wider result on GPUs only.
Tensor wideProduct(const Tensor& a, const Tensor& b)
{
    return a.is_cuda() ? at::mm(a, b, torch::kFloat32)
                       : torch::mm(a.to(torch::kFloat32), b.to(torch::kFloat32));
}

/// a b in fp32, for a in fp32 and b in bf16.
Tensor splitProduct(const Tensor& a, const Tensor& b)
{
    const Tensor high = a.to(torch::kBFloat16);
    const Tensor low = (a - high).to(torch::kBFloat16);
    return wideProduct(high, b).add_(wideProduct(low, b));
}

struct SplitProduct : torch::autograd::Function<SplitProduct>
{
    static Tensor forward(AutogradContext* context, const Tensor& hidden, const Tensor& weight)
    {
        context->save_for_backward({weight});
        return splitProduct(hidden, weight.t());
    }

    static variable_list backward(AutogradContext* context, variable_list grads)
    {
        return {splitProduct(grads[0], context->get_saved_variables()[0]), Tensor()};
    }
};

} // namespace

Tensor headOperand(const Tensor& weight)
{
    const bool stays =
        weight.is_cuda() && weight.scalar_type() == torch::kBFloat16 && !weight.requires_grad();
    return stays ? weight : weight.to(torch::kFloat32);
}

Tensor headProduct(const Tensor& hidden, const Tensor& weight)
{
    return weight.scalar_type() == torch::kBFloat16 ? SplitProduct::apply(hidden, weight)
                                                    : torch::mm(hidden, weight.t());
}

} // namespace sparserl
