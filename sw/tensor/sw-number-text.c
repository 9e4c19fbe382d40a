/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-number-text-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRECISION 8
/* As many digits tell any two numbers of binary32, or binary64, apart. */
#define MAX_DIGITS_FLOAT32 9
#define MAX_DIGITS_FLOAT64 17

/* d.ddd times 10 to the power of the exponent, without zeros at the end. */
typedef struct
{
  gboolean is_negative;
  gint exponent;
  gint n_digits;
  char digits[MAX_DIGITS_FLOAT64 + 3];
} Decimal;

static void
trim_zeros (Decimal *self)
{
  while (self->n_digits > 1 && self->digits[self->n_digits - 1] == '0')
    self->n_digits--;
  self->digits[self->n_digits] = '\0';
}

/* Rounds correctly, ties to even. */
static void
decimal_round (Decimal *self,
               double number,
               gint n_digits)
{
  char text[48];
  const char *at = text;

  g_snprintf (text, sizeof text, "%.*e", n_digits - 1, fabs (number));
  /* Whatever the point is in the locale of the process. */
  for (self->n_digits = 0; *at != 'e'; at++)
    {
      if (g_ascii_isdigit (*at))
        self->digits[self->n_digits++] = *at;
    }
  self->exponent = atoi (at + 1);
  self->is_negative = signbit (number) != 0;
  self->digits[self->n_digits] = '\0';
}

static gboolean
decimal_is (const Decimal *self,
            double number,
            SwDType dtype)
{
  char text[48];

  /* Without a point, and so for any locale. */
  g_snprintf (text, sizeof text, "%se%d", self->digits, self->exponent - (self->n_digits - 1));
  return dtype == SW_DTYPE_FLOAT32 ? strtof (text, NULL) == (float) fabs (number) : strtod (text, NULL) == fabs (number);
}

/* The next greater decimal of as many digits. */
static void
decimal_increment (Decimal *self)
{
  gint i = self->n_digits - 1;

  while (i >= 0 && self->digits[i] == '9')
    self->digits[i--] = '0';
  if (i >= 0)
    {
      self->digits[i]++;
      return;
    }
  self->digits[0] = '1';
  self->exponent++;
}

/* The shortest digits that tell @number from others, or the first @max_digits, rounded. */
static void
decimal_init (Decimal *self,
              double number,
              SwDType dtype,
              gint max_digits)
{
  gint exponent;
  /* The numbers below a power of two are closer than those above, where the nearest decimal may not be the one that is
   * read as the number. */
  gboolean is_power = number != 0 && frexp (fabs (number), &exponent) == 0.5;

  max_digits = CLAMP (max_digits, 1, dtype == SW_DTYPE_FLOAT32 ? MAX_DIGITS_FLOAT32 : MAX_DIGITS_FLOAT64);
  for (gint n_digits = 1; n_digits <= max_digits; n_digits++)
    {
      decimal_round (self, number, n_digits);
      if (decimal_is (self, number, dtype))
        break;
      if (is_power)
        {
          Decimal next = *self;

          decimal_increment (&next);
          if (decimal_is (&next, number, dtype))
            {
              *self = next;
              break;
            }
        }
    }
  trim_zeros (self);
}

/* The same with as many digits after the point as columns have at most. */
static void
decimal_init_fixed (Decimal *self,
                    double number,
                    SwDType dtype)
{
  decimal_round (self, number, MAX_DIGITS_FLOAT64);
  decimal_init (self, number, dtype, self->exponent + 1 + PRECISION);
}

static gint
count_before_point (const Decimal *self)
{
  return MAX (self->exponent, 0) + 1 + (self->is_negative ? 1 : 0);
}

static gint
count_after_point (const Decimal *self)
{
  return MAX (self->n_digits - 1 - self->exponent, 0);
}

static void
append_repeated (GString *text,
                 char character,
                 gint count)
{
  for (gint i = 0; i < count; i++)
    g_string_append_c (text, character);
}

/* 0.012, 12., 1200. */
static void
append_fixed (const Decimal *self,
              GString *text)
{
  gint n_whole = MAX (self->exponent + 1, 0);

  if (self->is_negative)
    g_string_append_c (text, '-');
  if (n_whole == 0)
    g_string_append_c (text, '0');
  g_string_append_len (text, self->digits, MIN (n_whole, self->n_digits));
  append_repeated (text, '0', n_whole - self->n_digits);
  g_string_append_c (text, '.');
  append_repeated (text, '0', -self->exponent - 1);
  if (n_whole < self->n_digits)
    g_string_append (text, self->digits + n_whole);
}

/* 1.2e+01 */
static void
append_exponential (const Decimal *self,
                    gint n_exponent_digits,
                    gboolean has_point,
                    GString *text)
{
  if (self->is_negative)
    g_string_append_c (text, '-');
  g_string_append_c (text, self->digits[0]);
  if (has_point)
    g_string_append_c (text, '.');
  g_string_append (text, self->digits + 1);
  g_string_append_printf (text, "e%c%0*d", self->exponent < 0 ? '-' : '+', n_exponent_digits, ABS (self->exponent));
}

static double
get_real (const SwStorage *items,
          gint64 index)
{
  return items->dtype == SW_DTYPE_FLOAT32 ? ((const float *) items->data)[index] : ((const double *) items->data)[index];
}

static gint64
get_integer (const SwStorage *items,
             gint64 index)
{
  return items->dtype == SW_DTYPE_INT32 ? ((const gint32 *) items->data)[index] : ((const gint64 *) items->data)[index];
}

static gboolean
is_real (SwDType dtype)
{
  return dtype == SW_DTYPE_FLOAT32 || dtype == SW_DTYPE_FLOAT64 || dtype == SW_DTYPE_FLOATING;
}

/* Whether the finite numbers are too large, too small or too different to be written out. */
static gboolean
needs_exponents (const SwStorage *items)
{
  double least = INFINITY, greatest = 0, ratio;

  for (gint64 i = 0; i < items->size; i++)
    {
      double size = fabs (get_real (items, i));

      if (!isfinite (size) || size == 0)
        continue;
      least = MIN (least, size);
      greatest = MAX (greatest, size);
    }
  if (greatest == 0)
    return FALSE;
  ratio = items->dtype == SW_DTYPE_FLOAT32 ? (float) greatest / (float) least : greatest / least;
  return greatest >= 1e8 || least < 0.0001 || ratio > 1000;
}

static void
add_number (SwNumberFormat *self,
            double number)
{
  Decimal decimal;

  if (!self->is_exponential)
    {
      decimal_init_fixed (&decimal, number, self->dtype);
      self->before_point = MAX (self->before_point, count_before_point (&decimal));
      self->after_point = MAX (self->after_point, count_after_point (&decimal));
      return;
    }

  decimal_init (&decimal, number, self->dtype, PRECISION + 1);
  self->before_point = MAX (self->before_point, decimal.is_negative ? 2 : 1);
  self->n_fraction_digits = MAX (self->n_fraction_digits, decimal.n_digits - 1);
  self->n_exponent_digits = MAX (self->n_exponent_digits, ABS (decimal.exponent) >= 100 ? 3 : 2);
  self->after_point = self->n_fraction_digits + self->n_exponent_digits + 2;
}

static void
init_reals (SwNumberFormat *self,
            const SwStorage *items)
{
  gint n_other = 0;

  self->is_exponential = needs_exponents (items);
  for (gint64 i = 0; i < items->size; i++)
    {
      double number = get_real (items, i);

      if (isfinite (number))
        add_number (self, number);
      else
        n_other = MAX (n_other, number == -INFINITY ? 4 : 3);
    }
  if (n_other > 0)
    self->before_point = MAX (self->before_point, n_other - (self->after_point + 1));
}

static gint
count_characters (gint64 number)
{
  return g_snprintf (NULL, 0, "%" G_GINT64_FORMAT, number);
}

void
sw_number_format_init (SwNumberFormat *self,
                       const SwStorage *items)
{
  *self = (SwNumberFormat){ .dtype = items->dtype };
  if (is_real (items->dtype))
    {
      init_reals (self, items);
      return;
    }
  if (items->dtype == SW_DTYPE_BOOL)
    {
      self->before_point = strlen ("False");
      return;
    }
  for (gint64 i = 0; i < items->size && items->dtype != SW_DTYPE_ANY; i++)
    self->before_point = MAX (self->before_point, count_characters (get_integer (items, i)));
}

static void
append_real (const SwNumberFormat *self,
             double number,
             GString *text)
{
  gsize length = text->len;
  Decimal decimal;

  if (!isfinite (number))
    {
      g_string_append_printf (text, "%*s", self->before_point + self->after_point + 1,
                              isnan (number) ? "nan" : (number < 0 ? "-inf" : "inf"));
      return;
    }
  if (self->is_exponential)
    {
      decimal_init (&decimal, number, self->dtype, self->n_fraction_digits + 1);
      /* All have as many digits: those of the number itself, which need not be zeros after what tells it from others. */
      if (decimal.n_digits <= self->n_fraction_digits)
        decimal_round (&decimal, number, self->n_fraction_digits + 1);
      append_repeated (text, ' ', self->before_point - (decimal.is_negative ? 2 : 1));
      append_exponential (&decimal, self->n_exponent_digits, TRUE, text);
      return;
    }

  decimal_init_fixed (&decimal, number, self->dtype);
  /* Nor need its whole digits be zeros after those. */
  if (decimal.n_digits <= decimal.exponent)
    decimal_round (&decimal, number, decimal.exponent + 1);
  append_repeated (text, ' ', self->before_point - count_before_point (&decimal));
  append_fixed (&decimal, text);
  append_repeated (text, ' ', length + self->before_point + 1 + self->after_point - text->len);
}

void
sw_number_format_append (const SwNumberFormat *self,
                         const SwStorage *items,
                         gint64 index,
                         GString *text)
{
  g_autoptr (SwValue) value = NULL;
  g_autofree char *any = NULL;

  if (is_real (self->dtype))
    {
      append_real (self, get_real (items, index), text);
    }
  else if (self->dtype == SW_DTYPE_BOOL)
    {
      g_string_append_printf (text, "%*s", self->before_point, ((const guint8 *) items->data)[index] != 0 ? "True" : "False");
    }
  else if (self->dtype != SW_DTYPE_ANY)
    {
      g_string_append_printf (text, "%*" G_GINT64_FORMAT, self->before_point, get_integer (items, index));
    }
  else
    {
      value = sw_storage_get_value (items, index);
      any = sw_value_to_string (value);
      g_string_append (text, any);
    }
}

void
sw_number_append_alone (const SwStorage *items,
                        gint64 index,
                        GString *text)
{
  SwNumberFormat plain = { .dtype = items->dtype };
  Decimal decimal;
  double number;

  if (!is_real (items->dtype))
    {
      sw_number_format_append (&plain, items, index, text);
      return;
    }

  number = get_real (items, index);
  if (!isfinite (number))
    {
      g_string_append (text, isnan (number) ? "nan" : (number < 0 ? "-inf" : "inf"));
      return;
    }
  decimal_init (&decimal, number, items->dtype, MAX_DIGITS_FLOAT64);
  if (number != 0 && (fabs (number) >= 1e16 || fabs (number) < 1e-4))
    {
      append_exponential (&decimal, 2, decimal.n_digits > 1, text);
      return;
    }
  append_fixed (&decimal, text);
  if (count_after_point (&decimal) == 0)
    g_string_append_c (text, '0');
}
