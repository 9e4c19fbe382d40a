/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tier-fixture.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *
get_path (SwCarrier *carrier)
{
  return sw_file_backed_get_path (SW_FILE_BACKED (carrier));
}

static SwCarrier *
new_empty (const char *filename,
           SwDType dtype)
{
  GError *error = NULL;
  SwCarrier *carrier = sw_file_backed_new (filename, TRUE, dtype, &error);

  g_assert_no_error (error);
  return carrier;
}

static guint
count_files (SwCarrier *carrier)
{
  g_autofree char *folder = g_path_get_dirname (get_path (carrier));
  g_autoptr (GDir) entries = g_dir_open (folder, 0, NULL);
  guint n_files = 0;

  while (g_dir_read_name (entries) != NULL)
    n_files++;
  return n_files;
}

static void
set_file_limit (rlim_t n_bytes)
{
  struct rlimit limit;

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  limit.rlim_cur = MIN (n_bytes, limit.rlim_max);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
}

static void
test_new (void)
{
  g_autoptr (SwCarrier) carrier = new_empty (NULL, SW_DTYPE_FLOAT32);
  g_autoptr (SwCarrier) named = new_empty ("weights", SW_DTYPE_INT64);
  g_autofree char *folder = g_path_get_dirname (get_path (named));
  g_autofree char *folder_name = g_path_get_basename (folder);
  g_autofree char *name = g_path_get_basename (get_path (named));
  struct stat info;

  g_assert_cmpint (sw_carrier_size (carrier, NULL), ==, 0);
  g_assert_cmpint (sw_carrier_dtype (carrier, NULL), ==, SW_DTYPE_FLOAT32);
  g_assert_true (sw_carrier_is_mutable (carrier, NULL));
  g_assert_false (sw_carrier_is_owned (carrier));

  g_assert_cmpint (g_lstat (get_path (carrier), &info), ==, 0);
  g_assert_true (S_ISREG (info.st_mode));
  g_assert_cmpint (info.st_mode & 0777, ==, 0600);
  g_assert_cmpint (info.st_size, ==, 0);
  g_assert_cmpint (g_lstat (folder, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0700);
  g_assert_true (g_str_has_prefix (folder_name, "."));
  g_assert_true (g_str_has_prefix (folder, g_get_tmp_dir ()));
  g_assert_cmpstr (name, ==, "weights");
}

static void
test_filename (void)
{
  const char *const bad_names[] = { "", ".", "..", "a/b", "/etc/passwd", "../x", "a/", ".strideweave-1" };
  g_autoptr (SwCarrier) carrier = new_empty ("taken", SW_DTYPE_BOOL);
  GError *error = NULL;
  g_autofree char *contents = NULL;
  g_autofree char *long_name = g_strnfill (300, 'x');

  for (guint i = 0; i < G_N_ELEMENTS (bad_names); i++)
    {
      g_assert_null (sw_file_backed_new (bad_names[i], TRUE, SW_DTYPE_BOOL, &error));
      assert_sw_error (error, SW_ERROR_VALUE, bad_names[i]);
    }

  g_assert_true (g_file_set_contents (get_path (carrier), "mine", 4, NULL));
  g_assert_null (sw_file_backed_new ("taken", TRUE, SW_DTYPE_BOOL, &error));
  assert_sw_error (error, SW_ERROR_IO, "taken: File exists");
  g_assert_true (g_file_get_contents (get_path (carrier), &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "mine");

  g_assert_null (sw_file_backed_new (long_name, TRUE, SW_DTYPE_BOOL, &error));
  assert_sw_error (error, SW_ERROR_IO, "File name too long");
  g_assert_null (sw_file_backed_new ("\xff/", TRUE, SW_DTYPE_BOOL, &error));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  assert_sw_error (error, SW_ERROR_VALUE, "filename");
}

static void
test_links (void)
{
  g_autoptr (SwCarrier) carrier = new_empty ("plain", SW_DTYPE_FLOAT64);
  g_autofree char *folder = g_path_get_dirname (get_path (carrier));
  g_autofree char *link_path = g_build_filename (folder, "link", NULL);
  g_autoptr (SwCarrier) fresh = NULL;
  GError *error = NULL;

  g_assert_cmpint (symlink ("/tmp", link_path), ==, 0);
  g_assert_null (sw_file_backed_new ("link", TRUE, SW_DTYPE_FLOAT64, &error));
  assert_sw_error (error, SW_ERROR_IO, "link");
  g_assert_cmpint (g_unlink (link_path), ==, 0);

  /* Somebody puts a link in the place of the file. */
  fresh = new_numbers (SW_TYPE_FILE_BACKED, 3);
  g_assert_cmpint (g_unlink (get_path (fresh)), ==, 0);
  g_assert_cmpint (symlink (get_path (carrier), get_path (fresh)), ==, 0);
  g_assert_null (sw_carrier_get_value (fresh, 0, &error));
  assert_sw_error (error, SW_ERROR_IO, get_path (fresh));
}

static void
test_dtype (void)
{
  const SwDType good[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64, SW_DTYPE_BOOL, SW_DTYPE_FLOATING };
  const int bad[] = { SW_DTYPE_INVALID, SW_DTYPE_ANY, SW_DTYPE_N, -1, 1000 };
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (SwCarrier) carrier = new_empty (NULL, good[i]);

      g_assert_cmpint (sw_carrier_dtype (carrier, NULL), ==, good[i]);
      for (guint k = 0; k < G_N_ELEMENTS (bad); k++)
        g_assert_false (sw_carrier_supports_storage_dtype (carrier, bad[k]));
      for (guint k = 0; k < G_N_ELEMENTS (good); k++)
        g_assert_true (sw_carrier_supports_storage_dtype (carrier, good[k]));
    }

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_null (sw_file_backed_new ("never", TRUE, bad[i], &error));
      assert_sw_error (error, SW_ERROR_VALUE, sw_dtype_to_string (bad[i]));
    }
}

static void
test_values (void)
{
  g_autoptr (SwCarrier) carrier = new_numbers (SW_TYPE_FILE_BACKED, 3);
  g_autoptr (SwValue) text = sw_value_new_bool (TRUE);
  g_autofree char *contents = NULL;
  GError *error = NULL;
  double expected[] = { 1, 20, 3 };
  gsize length;

  assert_numbers (carrier, 3);
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 0);
  g_assert_true (set_number (carrier, 1, 20, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 1);
  g_assert_cmpfloat (get_number (carrier, 1), ==, 20);

  g_assert_true (g_file_get_contents (get_path (carrier), &contents, &length, NULL));
  g_assert_cmpmem (contents, length, expected, sizeof expected);

  g_assert_false (set_number (carrier, 3, 1, &error));
  assert_sw_error (error, SW_ERROR_INDEX, "3");
  g_assert_null (sw_carrier_get_value (carrier, -1, &error));
  assert_sw_error (error, SW_ERROR_INDEX, "-1");
  g_assert_false (sw_carrier_set_value (carrier, 0, text, &error));
  assert_sw_error (error, SW_ERROR_TYPE, "value");
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 1);
  g_assert_cmpfloat (get_number (carrier, 0), ==, 1);
}

static void
test_each_dtype (void)
{
  g_autoptr (SwCarrier) like = new_empty (NULL, SW_DTYPE_INT64);
  const gint64 numbers[] = { 0, 1, -7, G_MAXINT32 };
  g_autoptr (SwValueList) list = sw_value_list_new_int64s (numbers, G_N_ELEMENTS (numbers));
  const SwDType dtypes[] = { SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INVALID, SW_DTYPE_FLOATING };
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (SwCarrier) carrier = sw_carrier_new_like (like, list, FALSE, dtypes[i], &error);
      g_autoptr (SwValue) last = NULL;

      g_assert_no_error (error);
      g_assert_cmpint (sw_carrier_dtype (carrier, NULL), ==, dtypes[i] == SW_DTYPE_INVALID ? SW_DTYPE_INT64 : dtypes[i]);
      g_assert_cmpstr (get_path (carrier), !=, get_path (like));
      last = sw_carrier_get_value (carrier, 3, &error);
      g_assert_no_error (error);
      if (i == 1 || i == 2)
        g_assert_cmpint (sw_value_get_int64 (last), ==, G_MAXINT32);
      else
        g_assert_cmpfloat (sw_value_get_double (last), ==, G_MAXINT32);
      g_assert_false (set_number (carrier, 0, 1, &error));
      assert_sw_error (error, SW_ERROR_STATE, "immutable");
    }

  g_assert_null (sw_carrier_new_like (like, list, TRUE, SW_DTYPE_BOOL, &error));
  assert_sw_error (error, SW_ERROR_TYPE, "values[0]");
  g_assert_null (sw_carrier_new_like (like, list, TRUE, SW_DTYPE_ANY, &error));
  assert_sw_error (error, SW_ERROR_VALUE, "Any");
}

static void
test_allocate (void)
{
  g_autoptr (SwCarrier) like = new_empty (NULL, SW_DTYPE_FLOAT64);
  g_autoptr (SwCarrier) carrier = NULL;
  g_autoptr (SwCarrier) empty = NULL;
  GError *error = NULL;
  struct stat info;
  guint n_files;

  carrier = sw_carrier_allocate_like (like, 10000, TRUE, SW_DTYPE_INVALID, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sw_carrier_size (carrier, NULL), ==, 10000);
  g_assert_cmpfloat (get_number (carrier, 9999), ==, 0);
  g_assert_cmpint (g_stat (get_path (carrier), &info), ==, 0);
  g_assert_cmpint (info.st_size, ==, 80000);
  g_assert_cmpint (info.st_blocks * 512, >=, 80000);

  empty = sw_carrier_allocate_like (like, 0, TRUE, SW_DTYPE_BOOL, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sw_carrier_size (empty, NULL), ==, 0);

  n_files = count_files (like);
  g_assert_null (sw_carrier_allocate_like (like, -1, TRUE, SW_DTYPE_INVALID, TRUE, &error));
  assert_sw_error (error, SW_ERROR_VALUE, "-1");
  g_assert_null (sw_carrier_allocate_like (like, G_MAXINT64, TRUE, SW_DTYPE_INVALID, TRUE, &error));
  assert_sw_error (error, SW_ERROR_VALUE, "9223372036854775807");
  g_assert_null (sw_carrier_allocate_like (like, G_GINT64_CONSTANT (1) << 56, TRUE, SW_DTYPE_INVALID, TRUE, &error));
  assert_sw_error (error, SW_ERROR_IO, g_get_tmp_dir ());
  g_assert_cmpuint (count_files (like), ==, n_files);
}

static void
test_scatter (void)
{
  g_autoptr (SwCarrier) carrier = new_numbers (SW_TYPE_FILE_BACKED, 5);
  g_autoptr (SwCarrier) source_carrier = new_numbers (SW_TYPE_GENERIC, 2);
  g_autoptr (SwTensor) onto = new_tensor (carrier, 5);
  g_autoptr (SwTensor) source = new_tensor (source_carrier, 2);
  g_autoptr (SwTensor) own = new_tensor (carrier, 2);
  g_autoptr (SwLayout) mapping = NULL;
  g_autoptr (SwShape) shape = sw_shape_new ((gint64[]){ 2 }, 1, NULL);
  g_autoptr (SwStride) stride = sw_stride_new ((gint64[]){ 3 }, 1, NULL);
  const double expected[] = { 1, 1, 3, 4, 2 };
  GError *error = NULL;

  mapping = sw_layout_new (shape, stride, &error);
  g_assert_no_error (error);
  g_assert_true (sw_carrier_scatter (carrier, source, onto, mapping, 1, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 1);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpfloat (get_number (carrier, i), ==, expected[i]);

  g_assert_true (sw_carrier_scatter (carrier, own, onto, mapping, 0, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (get_number (carrier, 3), ==, 1);
}

static void
test_release (void)
{
  SwCarrier *carrier = new_numbers (SW_TYPE_FILE_BACKED, 3);
  g_autofree char *path = g_strdup (get_path (carrier));
  GError *error = NULL;

  /* Somebody is reading. */
  g_assert_true (sw_carrier_enter (carrier, "carrier", NULL));
  g_assert_true (sw_carrier_release (carrier, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  sw_carrier_drop (carrier);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));

  g_assert_null (sw_carrier_get_value (carrier, 0, &error));
  assert_sw_error (error, SW_ERROR_STATE, "released");
  g_assert_false (set_number (carrier, 0, 1, &error));
  assert_sw_error (error, SW_ERROR_STATE, "released");
  g_assert_true (sw_carrier_release (carrier, &error));
  g_assert_no_error (error);
  g_assert_finalize_object (carrier);
}

static void
test_finalize (void)
{
  SwCarrier *carrier = new_numbers (SW_TYPE_FILE_BACKED, 3);
  g_autofree char *path = g_strdup (get_path (carrier));
  SwCarrier *named = new_empty ("again", SW_DTYPE_FLOAT64);

  g_assert_finalize_object (carrier);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_finalize_object (named);
  named = new_empty ("again", SW_DTYPE_FLOAT64);
  g_assert_finalize_object (named);
}

static void
test_dispatch (void)
{
  g_autoptr (SwCarrier) carrier = new_numbers (SW_TYPE_FILE_BACKED, 3);
  GError *error = NULL;

  g_assert_null (sw_carrier_dispatch_op (carrier, "relu", &error));
  assert_sw_error (error, SW_ERROR_NOT_IMPLEMENTED, "FileBacked stores values and does not compute: relu");
  g_assert_null (sw_carrier_dispatch_op (carrier, "nonsense", &error));
  assert_sw_error (error, SW_ERROR_NOT_IMPLEMENTED, "FileBacked stores values and does not compute: nonsense");
}

static void
test_damaged (void)
{
  g_autoptr (SwCarrier) carrier = new_numbers (SW_TYPE_FILE_BACKED, 3);
  GError *error = NULL;

  g_assert_cmpint (truncate (get_path (carrier), 20), ==, 0);
  g_assert_cmpfloat (get_number (carrier, 1), ==, 2);
  g_assert_null (sw_carrier_get_value (carrier, 2, &error));
  assert_sw_error (error, SW_ERROR_IO, get_path (carrier));
  g_assert_false (set_number (carrier, 2, 1, &error));
  assert_sw_error (error, SW_ERROR_IO, get_path (carrier));

  g_assert_cmpint (g_unlink (get_path (carrier)), ==, 0);
  g_assert_null (sw_carrier_get_value (carrier, 0, &error));
  assert_sw_error (error, SW_ERROR_IO, "No such file");
  g_assert_true (sw_carrier_release (carrier, &error));
  g_assert_no_error (error);
}

/* A limit is met in the middle of a value, so that half of it is written. */
static void
test_limit (void)
{
  g_autoptr (SwCarrier) carrier = new_numbers (SW_TYPE_FILE_BACKED, 3);
  g_autoptr (SwValueList) many = NULL;
  g_autofree double *zeros = g_new0 (double, 1000);
  g_autoptr (SwTensor) whole = new_tensor (carrier, 3);
  guint n_files = count_files (carrier);
  GError *error = NULL;

  many = sw_value_list_new_doubles (zeros, 1000);
  set_file_limit (12);
  g_assert_false (set_number (carrier, 1, G_MAXDOUBLE, &error));
  g_assert_nonnull (strstr (error->message, "File too large"));
  assert_sw_error (error, SW_ERROR_IO, get_path (carrier));
  g_assert_true (set_number (carrier, 0, 1, &error));
  g_assert_no_error (error);
  g_assert_null (sw_carrier_new_like (carrier, many, TRUE, SW_DTYPE_INVALID, &error));
  assert_sw_error (error, SW_ERROR_IO, "File too large");
  g_assert_null (sw_carrier_allocate_like (carrier, 1000, TRUE, SW_DTYPE_INVALID, TRUE, &error));
  assert_sw_error (error, SW_ERROR_IO, "File too large");
  g_assert_false (sw_carrier_scatter (carrier, whole, whole, sw_tensor_get_layout (whole), 0, &error));
  assert_sw_error (error, SW_ERROR_IO, "File too large");
  set_file_limit (RLIM_INFINITY);

  assert_numbers (carrier, 3);
  g_assert_cmpint (sw_carrier_size (carrier, NULL), ==, 3);
  g_assert_cmpuint (count_files (carrier), ==, n_files);
}

static gboolean has_small_disk;

static void
test_full_disk (void)
{
  g_autoptr (SwCarrier) carrier = NULL;
  g_autoptr (SwCarrier) destination = NULL;
  g_autoptr (SwCarrier) memory = NULL;
  g_autoptr (SwTensor) tensor = NULL;
  GError *error = NULL;
  guint n_files;

  if (!has_small_disk)
    {
      g_test_skip ("needs the right to mount a small file system");
      return;
    }

  carrier = new_numbers (SW_TYPE_FILE_BACKED, 1000);
  destination = new_numbers (SW_TYPE_FILE_BACKED, 5);
  memory = sw_cpu_new (1 << 20, TRUE, SW_DTYPE_FLOAT64, FALSE, &error);
  tensor = new_tensor (memory, 1 << 20);
  n_files = count_files (carrier);

  g_assert_null (sw_carrier_allocate_like (carrier, 1 << 20, TRUE, SW_DTYPE_INVALID, TRUE, &error));
  assert_sw_error (error, SW_ERROR_IO, "No space left on device");
  g_assert_null (sw_move (tensor, destination, &error));
  g_assert_nonnull (strstr (error->message, get_path (destination)));
  assert_sw_error (error, SW_ERROR_IO, "No space left on device");

  g_assert_false (sw_carrier_is_released (memory));
  g_assert_cmpint (sw_carrier_size (destination, NULL), ==, 5);
  assert_numbers (destination, 5);
  assert_numbers (carrier, 1000);
  g_assert_cmpuint (count_files (carrier), ==, n_files);
  /* The disk is not full any more. */
  g_assert_true (set_number (carrier, 999, 1, &error));
  g_assert_no_error (error);
}

/* Runs @function in a child that ends in the ordinary way; it writes a path to @paths. */
static char *
run_in_child (void (*function) (FILE *paths))
{
  char path[1024] = "";
  FILE *paths;
  int status;
  int ends[2];
  pid_t pid;

  g_assert_cmpint (pipe (ends), ==, 0);
  fflush (NULL);
  pid = fork ();
  if (pid == 0)
    {
      paths = fdopen (ends[1], "w");
      function (paths);
      fclose (paths);
      exit (0);
    }

  close (ends[1]);
  paths = fdopen (ends[0], "r");
  g_assert_nonnull (fgets (path, sizeof path, paths));
  fclose (paths);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
  return g_strdup (path);
}

static SwCarrier *inherited;

static void
use_inherited (FILE *paths)
{
  g_autoptr (SwCarrier) own = new_numbers (SW_TYPE_FILE_BACKED, 2);
  g_autofree char *folder = g_path_get_dirname (get_path (own));
  g_autofree char *inherited_folder = g_path_get_dirname (get_path (inherited));
  GError *error = NULL;

  assert_numbers (inherited, 3);
  g_assert_false (set_number (inherited, 0, 7, &error));
  assert_sw_error (error, SW_ERROR_STATE, "forked");
  g_assert_cmpstr (folder, !=, inherited_folder);
  g_assert_true (sw_carrier_release (inherited, &error));
  g_assert_no_error (error);
  fputs (folder, paths);
}

static void
test_fork (void)
{
  g_autofree char *folder = NULL;

  inherited = new_numbers (SW_TYPE_FILE_BACKED, 3);
  folder = run_in_child (use_inherited);

  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
  assert_numbers (inherited, 3);
  g_assert_true (set_number (inherited, 0, 1, NULL));
  g_assert_finalize_object (g_steal_pointer (&inherited));
}

static void
leave_files (FILE *paths)
{
  /* Volatile: else the compiler drops what nobody reads, and the carrier counts as leaked. */
  static SwCarrier *volatile left;
  g_autofree char *folder = NULL;

  left = new_numbers (SW_TYPE_FILE_BACKED, 2);
  folder = g_path_get_dirname (get_path (left));
  fputs (folder, paths);
}

static void
test_exit (void)
{
  g_autofree char *folder = run_in_child (leave_files);

  g_assert_true (g_str_has_prefix (folder, g_get_tmp_dir ()));
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
}

static gpointer
read_until_released (gpointer data)
{
  SwCarrier *carrier = data;

  for (;;)
    {
      GError *error = NULL;
      g_autoptr (SwValue) value = sw_carrier_get_value (carrier, 1, &error);

      if (value == NULL)
        {
          assert_sw_error (error, SW_ERROR_STATE, "released");
          return NULL;
        }
      g_assert_cmpfloat (sw_value_get_double (value), ==, 2);
    }
}

static void
test_threads (void)
{
  for (guint i = 0; i < 50; i++)
    {
      SwCarrier *carrier = new_numbers (SW_TYPE_FILE_BACKED, 3);
      GThread *threads[3];

      for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
        threads[k] = g_thread_new ("reader", read_until_released, carrier);
      g_usleep (i * 20);
      g_assert_true (sw_carrier_release (carrier, NULL));
      for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
        g_thread_join (threads[k]);
      g_assert_false (g_file_test (get_path (carrier), G_FILE_TEST_EXISTS));
      g_assert_finalize_object (carrier);
    }
}

/* After the library has removed its own directory in there. */
static char temporary_directory[] = "/tmp/sw-test-XXXXXX";
static pid_t main_process;

__attribute__ ((destructor (101))) static void
remove_temporary_directory (void)
{
  if (getpid () != main_process)
    return;
  if (has_small_disk)
    umount (temporary_directory);
  rmdir (temporary_directory);
}

/* A temporary directory of one's own, before anybody asks for it; on a small disk where that is allowed. Nobody else
 * sees the mount. */
static void
set_temporary_directory (void)
{
  main_process = getpid ();
  g_assert_nonnull (g_mkdtemp (temporary_directory));
  has_small_disk = unshare (CLONE_NEWNS) == 0 &&
                   mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                   mount ("tmpfs", temporary_directory, "tmpfs", 0, "size=1m") == 0;
  g_setenv ("TMPDIR", temporary_directory, TRUE);
}

int
main (int argc,
      char **argv)
{
  set_temporary_directory ();
  signal (SIGXFSZ, SIG_IGN);

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/file-backed/new", test_new);
  g_test_add_func ("/file-backed/filename", test_filename);
  g_test_add_func ("/file-backed/links", test_links);
  g_test_add_func ("/file-backed/dtype", test_dtype);
  g_test_add_func ("/file-backed/values", test_values);
  g_test_add_func ("/file-backed/each-dtype", test_each_dtype);
  g_test_add_func ("/file-backed/allocate", test_allocate);
  g_test_add_func ("/file-backed/scatter", test_scatter);
  g_test_add_func ("/file-backed/release", test_release);
  g_test_add_func ("/file-backed/finalize", test_finalize);
  g_test_add_func ("/file-backed/dispatch", test_dispatch);
  g_test_add_func ("/file-backed/damaged", test_damaged);
  g_test_add_func ("/file-backed/limit", test_limit);
  g_test_add_func ("/file-backed/full-disk", test_full_disk);
  g_test_add_func ("/file-backed/fork", test_fork);
  g_test_add_func ("/file-backed/exit", test_exit);
  g_test_add_func ("/file-backed/threads", test_threads);
  return g_test_run ();
}
