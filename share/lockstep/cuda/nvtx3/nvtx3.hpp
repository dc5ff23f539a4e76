/* NVTX for C++: ranges as objects, which do nothing here. */
#ifndef LS_NVTX3_HPP
#define LS_NVTX3_HPP
#pragma GCC system_header
#include "nvToolsExt.h"
namespace nvtx3 {
inline namespace v1 {
struct rgb { unsigned char r, g, b; constexpr rgb(unsigned char r_, unsigned char g_, unsigned char b_) : r(r_), g(g_), b(b_) {} };
struct color { template <class... A> constexpr explicit color(A...) {} };
struct event_attributes { template <class... A> explicit event_attributes(const A &...) {} };
struct scoped_range { template <class... A> explicit scoped_range(const A &...) {} };
template <class D> struct scoped_range_in { template <class... A> explicit scoped_range_in(const A &...) {} };
struct unique_range { template <class... A> explicit unique_range(const A &...) {} };
template <class... A> void mark(const A &...) {}
struct domain { struct global {}; };
}
}
#define NVTX3_V1_FUNC_RANGE()
#define NVTX3_FUNC_RANGE()
#define NVTX3_FUNC_RANGE_IF(C)
#define NVTX3_FUNC_RANGE_IN(D)
#define NVTX3_FUNC_RANGE_IF_IN(D, C)
#endif
