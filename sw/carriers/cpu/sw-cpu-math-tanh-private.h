/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The hyperbolic tangent of floats, for sw-cpu-math-vectors-private.h, which says what it needs. */

#ifdef LOOK_UP_FLOAT

/* A polynomial of the distance from the middle of an interval, for each quarter of an octave from 1/8 to 9, one below and one beyond.
 * The slot of an interval is in the bits that a float begins with. Middles are where the tangent is almost a float, so that nearly all
 * of its error is that of the last addition. */
static const float tanh_tables[7][32] __attribute__ ((aligned (64))) = {
  {
    0x1.1ff226p1f, 0x1.5ff05ep1f, 0x1.9feb98p1f, 0x1.e01726p1f, 0x1.2004d2p2f, 0x1.5034ep2f, 0x1.8d8c82p2f, 0x1.d1cb88p2f,
    0x1.1544cap3f, 0, 0, 0, 0, 0, 0, 0,
    0x1.1ff20ep-3f, 0x1.6006ap-3f, 0x1.a01724p-3f, 0x1.e01738p-3f, 0x1.1ff652p-2f, 0x1.600068p-2f, 0x1.9fefaap-2f, 0x1.e0167ep-2f,
    0x1.1ff3a2p-1f, 0x1.5ffc7cp-1f, 0x1.9fef8ap-1f, 0x1.dff95ap-1f, 0x1.20155cp0f, 0x1.5fef1ep0f, 0x1.a01248p0f, 0x1.dfe98p0f,
  },
  {
    0x1.f4bd6ep-1f, 0x1.fbd406p-1f, 0x1.fe75fcp-1f, 0x1.ff6f4cp-1f, 0x1.ffdfacp-1f, 0x1.fff8d4p-1f, 0x1.fffef2p-1f, 0x1.ffffep-1f,
    0x1.fffffep-1f, 0, 0, 0, 0, 0, 0, 0,
    0x1.1e1024p-3f, 0x1.5c9976p-3f, 0x1.9a7552p-3f, 0x1.d77c5ap-3f, 0x1.189aa6p-2f, 0x1.52c322p-2f, 0x1.8a79f8p-2f, 0x1.bfc09cp-2f,
    0x1.04ff48p-1f, 0x1.31559cp-1f, 0x1.577ff2p-1f, 0x1.77d528p-1f, 0x1.9e6b72p-1f, 0x1.c27104p-1f, 0x1.d9cc3cp-1f, 0x1.e87494p-1f,
  },
  {
    0x1.645bfp-5f, 0x1.09e80ap-6f, 0x1.896c64p-8f, 0x1.213f1cp-9f, 0x1.0297d8p-11f, 0x1.caf8eap-14f, 0x1.0dff5ep-16f, 0x1.fff8fap-20f,
    0x1.ffbf7ep-24f, 0, 0, 0, 0, 0, 0, 0x1p0f,
    0x1.f602cp-1f, 0x1.f12a74p-1f, 0x1.eb6f2p-1f, 0x1.e4dd2ap-1f, 0x1.d98daap-1f, 0x1.c7f704p-1f, 0x1.b4048ap-1f, 0x1.9e1bbap-1f,
    0x1.7af43cp-1f, 0x1.49e972p-1f, 0x1.198bf2p-1f, 0x1.d83dd4p-2f, 0x1.61204ep-2f, 0x1.cedcf8p-3f, 0x1.26374ep-3f, 0x1.700d5ap-4f,
  },
  {
    -0x1.5c83c6p-5f, -0x1.07ba98p-6f, -0x1.8838a6p-8f, -0x1.20e974p-9f, -0x1.024d34p-11f, -0x1.cb3cb4p-14f, -0x1.0e30ccp-16f, -0x1.001e34p-19f,
    -0x1.ffaedcp-24f, 0, 0, 0, 0, 0, 0, 0x1.a673bcp-22f,
    -0x1.187b5cp-3f, -0x1.527fdep-3f, -0x1.89f898p-3f, -0x1.be7f36p-3f, -0x1.038882p-2f, -0x1.2dafd8p-2f, -0x1.4fef5cp-2f, -0x1.6a24fcp-2f,
    -0x1.8259e4p-2f, -0x1.897d72p-2f, -0x1.79c73cp-2f, -0x1.5aa5e8p-2f, -0x1.1dd398p-2f, -0x1.9736d2p-3f, -0x1.10439ep-3f, -0x1.5f2096p-4f,
  },
  {
    0x1.bc251ap-6f, 0x1.59e894p-7f, 0x1.03eaf8p-8f, 0x1.805f74p-10f, 0x1.58669ep-12f, 0x1.33369ap-14f, 0x1.689b12p-17f, 0x1.5713fap-20f,
    0x1.51cfc6p-24f, 0, 0, 0, 0, 0, 0, -0x1.555ba8p-2f,
    -0x1.3b15c8p-2f, -0x1.2ea296p-2f, -0x1.2024ap-2f, -0x1.0fd8ccp-2f, -0x1.e92a82p-3f, -0x1.9857f6p-3f, -0x1.42882ap-3f, -0x1.d6e2e8p-4f,
    -0x1.bd8454p-5f, 0x1.d70108p-7f, 0x1.0702d8p-4f, 0x1.842b74p-4f, 0x1.c691f4p-4f, 0x1.97ee42p-4f, 0x1.33c146p-4f, 0x1.a897d6p-5f,
  },
  {
    -0x1.95ea2cp-7f, -0x1.515322p-8f, -0x1.0345a4p-9f, -0x1.829544p-11f, -0x1.66b49cp-13f, -0x1.29eb2ep-15f, -0x1.576af8p-18f, -0x1.503dbap-21f,
    -0x1.584a9ap-25f, 0, 0, 0, 0, 0, 0, 0x1.ffd3cap-12f,
    0x1.6af894p-4f, 0x1.afa5dp-4f, 0x1.ed9108p-4f, 0x1.11f53ep-3f, 0x1.32e33ep-3f, 0x1.5008cap-3f, 0x1.5c0a56p-3f, 0x1.583cfap-3f,
    0x1.39f8acp-3f, 0x1.e94f86p-4f, 0x1.47653ep-4f, 0x1.633438p-5f, 0x1.d4bee4p-9f, -0x1.5a200ep-6f, -0x1.9bd13ap-6f, -0x1.55c27ep-6f,
  },
  {
    0x1.04ddc2p-8f, 0x1.f529fap-10f, 0x1.93051cp-11f, 0x1.31ee54p-12f, 0x1.1b2408p-14f, 0x1.4eb704p-17f, 0x1.6ff0fcp-20f, 0x1.8533bep-23f,
    0x1.6cb54cp-26f, 0, 0, 0, 0, 0, 0, 0x1.0a1f72p-3f,
    0x1.ca9384p-4f, 0x1.a26312p-4f, 0x1.74a522p-4f, 0x1.428a08p-4f, 0x1.e3d5d8p-5f, 0x1.05be38p-5f, 0x1.843484p-8f, -0x1.196ab4p-6f,
    -0x1.64a152p-5f, -0x1.f8c9d2p-5f, -0x1.00d326p-4f, -0x1.b2c64ep-5f, -0x1.063f02p-5f, -0x1.36a13ap-7f, 0x1.73f216p-10f, 0x1.2e203ap-8f,
  },
};

/* Below: the float whose slot is that of all smaller ones. From the limit on the tangent is 1. */
#define TANH_FIRST 0x3de00000
#define TANH_SLOT_SHIFT 21
#define TANH_LIMIT 9.02f
#define TANH_STEP(y, distance, table) ((y) = (Floats) FMA_FLOAT (y, distance, (Floats) LOOK_UP_FLOAT (tanh_tables[table], slots)))

/* Within 1.1 units in the last place. */
static inline Floats
tanh_of_float32s (Floats x)
{
  Floats zero = { 0 };
  FloatBits sign = (FloatBits) x & G_MININT32;
  Floats size = (Floats) MIN_FLOAT (zero + TANH_LIMIT, (Floats) ((FloatBits) x & G_MAXINT32)), distance, y;
  FloatBits slots = (FloatBits) MAX_BITS (size, ((FloatBits) zero + TANH_FIRST)) >> TANH_SLOT_SHIFT;

  distance = size - (Floats) LOOK_UP_FLOAT (tanh_tables[0], slots);
  y = (Floats) LOOK_UP_FLOAT (tanh_tables[6], slots);
  TANH_STEP (y, distance, 5);
  TANH_STEP (y, distance, 4);
  TANH_STEP (y, distance, 3);
  TANH_STEP (y, distance, 2);
  TANH_STEP (y, distance, 1);
  return (Floats) ((FloatBits) y | sign);
}

#else

/* As sw-cpu-kernels-math.c has it for all levels, with a reciprocal that is put right by what remains of the division. */
static inline Floats
tanh_of_float32s (Floats x)
{
  Floats zero = { 0 };
  Floats size = (Floats) MIN_FLOAT (zero + 18.4f, (Floats) ((FloatBits) x & G_MAXINT32) * 2);
  Floats k = (Floats) FMA_FLOAT (size, zero + 0x1.715476p0f, zero + 0x1.8p23f);
  Floats scale = (Floats) (((FloatBits) k + 127) << 23);
  Floats r, series, y, sum, lost, reciprocal, t, rest;

  k -= 0x1.8p23f;
  r = (Floats) FMA_FLOAT (k, zero - 0x1.62e43p-1f, size);
  r = (Floats) FMA_FLOAT (k, zero + 0x1.05c61p-29f, r);
  series = (Floats) FMA_FLOAT (r, zero + 1.0f / 5040, zero + 1.0f / 720);
  series = (Floats) FMA_FLOAT (series, r, zero + 1.0f / 120);
  series = (Floats) FMA_FLOAT (series, r, zero + 1.0f / 24);
  series = (Floats) FMA_FLOAT (series, r, zero + 1.0f / 6);
  series = (Floats) FMA_FLOAT (series, r, zero + 0.5f);
  series = (Floats) FMA_FLOAT (series, r * r, r);

  y = (Floats) FMA_FLOAT (scale, series, scale - 1);
  sum = y + 2;
  lost = (Floats) ((FloatBits) (y - (sum - 2)) & (y < 2));
  reciprocal = (Floats) RECIPROCAL_FLOAT (sum);
  t = y * reciprocal;
  rest = (Floats) FMA_FLOAT (-t, sum, y);
  rest = (Floats) FMA_FLOAT (-t, lost, rest);
  t = (Floats) FMA_FLOAT (rest, reciprocal, t);
  return (Floats) ((FloatBits) t | ((FloatBits) x & G_MININT32));
}

#endif
