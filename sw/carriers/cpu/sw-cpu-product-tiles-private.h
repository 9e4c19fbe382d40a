/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The product of one type with the vectors of one level; whoever includes this, once for each type (so there is no include guard), defines before
 *   NAME (name)                  the name for the type
 *   TYPE, VECTOR, N_LANES        a value, so many of them in a vector
 *   MAX_VECTORS, MAX_COLUMNS     the tile of the result that stays in registers; columns: 4 or 8
 *   LOAD, STORE, LOAD_SOME, STORE_SOME, MULTIPLY_ADD
 * all of which this undefines. */

/* @n_vectors and @n_columns are constants where this is called, so that all loops over them vanish. Of the last vector only
 * @n_last lanes are there; 0: all. */
SW_CPU_INLINE void
NAME (compute_tile) (const SwCpuProduct *product,
                     gint64 row,
                     gint64 column,
                     int n_vectors,
                     int n_columns,
                     int n_last)
{
  const TYPE *lhs = (const TYPE *) product->lhs + row;
  const TYPE *rhs = (const TYPE *) product->rhs + column * product->rhs_column_step;
  TYPE *result = (TYPE *) product->result + row + column * product->result_step;
  gint64 lhs_step = product->lhs_step, term_step = product->rhs_term_step, column_step = product->rhs_column_step;
  VECTOR sums[MAX_COLUMNS][MAX_VECTORS];

#pragma GCC unroll 8
  for (int c = 0; c < n_columns; c++)
#pragma GCC unroll 8
    for (int v = 0; v < n_vectors; v++)
      sums[c][v] = (VECTOR){ 0 };

  for (gint64 k = 0; k < product->n_terms; k++, lhs += lhs_step, rhs += term_step)
    {
      VECTOR values[MAX_VECTORS];

#pragma GCC unroll 8
      for (int v = 0; v < n_vectors; v++)
        values[v] = n_last > 0 && v == n_vectors - 1 ? LOAD_SOME (lhs + v * N_LANES, n_last) : LOAD (lhs + v * N_LANES);
#pragma GCC unroll 8
      for (int c = 0; c < n_columns; c++)
        {
          TYPE factor = rhs[c * column_step];

#pragma GCC unroll 8
          for (int v = 0; v < n_vectors; v++)
            sums[c][v] = MULTIPLY_ADD (values[v], factor, sums[c][v]);
        }
    }

#pragma GCC unroll 8
  for (int c = 0; c < n_columns; c++)
#pragma GCC unroll 8
    for (int v = 0; v < n_vectors; v++)
      {
        TYPE *to = result + c * product->result_step + v * N_LANES;

        if (n_last > 0 && v == n_vectors - 1)
          STORE_SOME (to, n_last, sums[c][v]);
        else
          STORE (to, sums[c][v]);
      }
}

#define DEFINE_TILE(V, C)                                                                    \
  static void                                                                                \
      NAME (tile_##V##x##C) (const SwCpuProduct *product, gint64 row, gint64 column, int n)  \
  {                                                                                          \
    NAME (compute_tile)                                                                      \
    (product, row, column, V, C, n);                                                         \
  }                                                                                          \
                                                                                             \
  static void                                                                                \
      NAME (whole_##V##x##C) (const SwCpuProduct *product, gint64 row, gint64 column, int n) \
  {                                                                                          \
    NAME (compute_tile)                                                                      \
    (product, row, column, V, C, 0);                                                         \
  }

#if MAX_COLUMNS == 8
#define DEFINE_TILES(V) \
  DEFINE_TILE (V, 1)    \
  DEFINE_TILE (V, 2)    \
  DEFINE_TILE (V, 4)    \
  DEFINE_TILE (V, 8)
#define TILES(kind, V) { NAME (kind##_##V##x1), NAME (kind##_##V##x2), NAME (kind##_##V##x4), NAME (kind##_##V##x8) }
#define N_WIDTHS 4
#else
#define DEFINE_TILES(V) \
  DEFINE_TILE (V, 1)    \
  DEFINE_TILE (V, 2)    \
  DEFINE_TILE (V, 4)
#define TILES(kind, V) { NAME (kind##_##V##x1), NAME (kind##_##V##x2), NAME (kind##_##V##x4) }
#define N_WIDTHS 3
#endif

DEFINE_TILES (1)
DEFINE_TILES (2)
#if MAX_VECTORS == 3
DEFINE_TILES (3)
#define ALL_TILES(kind) { TILES (kind, 1), TILES (kind, 2), TILES (kind, 3) }
#else
#define ALL_TILES(kind) { TILES (kind, 1), TILES (kind, 2) }
#endif

/* By the number of vectors less one, and by the logarithm of the number of columns. */
typedef void (*NAME (Tile)) (const SwCpuProduct *product,
                             gint64 row,
                             gint64 column,
                             int n_last);

/* Rows by rows, so that the values of lhs stay in the cache while the columns go by. */
static void
NAME (multiply) (const SwCpuProduct *product)
{
  static const NAME (Tile) tiles[MAX_VECTORS][N_WIDTHS] = ALL_TILES (tile);
  static const NAME (Tile) whole_tiles[MAX_VECTORS][N_WIDTHS] = ALL_TILES (whole);
  gint64 n_vectors = (product->n_rows + N_LANES - 1) / N_LANES, vector = 0;

  /* Panels of nearly the same height. */
  for (gint64 left = (n_vectors + MAX_VECTORS - 1) / MAX_VECTORS; left > 0; left--)
    {
      gint64 height = (n_vectors - vector + left - 1) / left, row = vector * N_LANES, column = 0;
      int n_last = (int) (product->n_rows - (vector + height - 1) * N_LANES);
      const NAME (Tile) *widths = n_last < N_LANES ? tiles[height - 1] : whole_tiles[height - 1];

      for (int width = N_WIDTHS - 1; width >= 0; width--)
        {
          for (; column + (1 << width) <= product->n_columns; column += 1 << width)
            widths[width](product, row, column, n_last);
        }
      vector += height;
    }
}

/* As above: constants, so that the loops over vectors vanish. */
SW_CPU_INLINE void
NAME (sum_vectors) (gint64 n_terms,
                    const TYPE *values,
                    const gint64 *offsets,
                    const TYPE *factors,
                    TYPE *result,
                    int n_vectors,
                    int n_last)
{
  VECTOR sums[4] = { { 0 } };

  for (gint64 k = 0; k < n_terms; k++)
    {
      const TYPE *from = values + offsets[k];
      TYPE factor = factors[k];

#pragma GCC unroll 4
      for (int v = 0; v < n_vectors; v++)
        sums[v] = MULTIPLY_ADD (n_last > 0 ? LOAD_SOME (from, n_last) : LOAD (from + v * N_LANES), factor, sums[v]);
    }

#pragma GCC unroll 4
  for (int v = 0; v < n_vectors; v++)
    {
      if (n_last > 0)
        STORE_SOME (result, n_last, sums[v]);
      else
        STORE (result + v * N_LANES, sums[v]);
    }
}

static void
NAME (sum) (gint64 n,
            gint64 n_terms,
            gconstpointer values,
            const gint64 *offsets,
            gconstpointer factors,
            gpointer result)
{
  gint64 i = 0;

  for (; i + 4 * N_LANES <= n; i += 4 * N_LANES)
    NAME (sum_vectors)
  (n_terms, (const TYPE *) values + i, offsets, factors, (TYPE *) result + i, 4, 0);
  for (; i + N_LANES <= n; i += N_LANES)
    NAME (sum_vectors)
  (n_terms, (const TYPE *) values + i, offsets, factors, (TYPE *) result + i, 1, 0);
  if (i < n)
    NAME (sum_vectors)
  (n_terms, (const TYPE *) values + i, offsets, factors, (TYPE *) result + i, 1, (int) (n - i));
}

#undef DEFINE_TILE
#undef DEFINE_TILES
#undef TILES
#undef ALL_TILES
#undef N_WIDTHS
#undef NAME
#undef TYPE
#undef VECTOR
#undef N_LANES
#undef MAX_VECTORS
#undef MAX_COLUMNS
#undef LOAD
#undef STORE
#undef LOAD_SOME
#undef STORE_SOME
#undef MULTIPLY_ADD
