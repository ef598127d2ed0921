// Vector forms of a scalar function, which apply it to each element.
#ifndef CASTOR_OPENCL_VECTORS_H
#define CASTOR_OPENCL_VECTORS_H

#define VECTORS1(type, name)                                                                                            \
  __attribute__((overloadable)) INLINE type##2 name(type##2 v) { return (type##2)(name(v.x), name(v.y)); }              \
  __attribute__((overloadable)) INLINE type##3 name(type##3 v) { return (type##3)(name(v.x), name(v.y), name(v.z)); }   \
  __attribute__((overloadable)) INLINE type##4 name(type##4 v) { return (type##4)(name(v.lo), name(v.hi)); }            \
  __attribute__((overloadable)) INLINE type##8 name(type##8 v) { return (type##8)(name(v.lo), name(v.hi)); }            \
  __attribute__((overloadable)) INLINE type##16 name(type##16 v) { return (type##16)(name(v.lo), name(v.hi)); }

#endif
