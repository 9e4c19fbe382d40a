// SPDX-License-Identifier: LGPL-2.1-or-later
// What the vapi holds beside what the GIR says: it is merged with the classes that the GIR describes.

namespace Strideweave {
	/**
	 * Keeps a {@link Profiler} entered for as long as a block lasts.
	 *
	 * However the block ends, the profiler is left: at its last line, by `return`, `break` or a thrown error, and in
	 * an async method after whatever it yielded for. A scope has one owner and cannot be copied.
	 */
	[CCode (cheader_filename = "strideweave.h", free_function = "sw_profile_scope_free", has_type_id = false)]
	[Compact]
	public class ProfileScope {
		/**
		 * Enters a profiler, on the calling thread, until the scope goes.
		 *
		 * @param profiler a profiler that was not entered before
		 * @throws Strideweave.Error `STATE` when the profiler was entered before, or another one is active on the thread
		 */
		public ProfileScope (Profiler profiler) throws Strideweave.Error;

		/** What the scope keeps entered. */
		public Profiler profiler { get; }

		/**
		 * Leaves the profiler now, as {@link Profiler.exit} does: to have its results in the same block, and to hear
		 * of a failure. At its end the scope has nothing more to leave.
		 *
		 * @return `true`
		 * @throws Strideweave.Error `STATE` when the profiler is not active any more, or another thread entered it
		 */
		public bool leave () throws Strideweave.Error;
	}

	/**
	 * Keeps a {@link ProfilerSchedule} entered for as long as a block lasts, as {@link ProfileScope} does a profiler.
	 */
	[CCode (cheader_filename = "strideweave.h", free_function = "sw_profiler_schedule_scope_free", has_type_id = false)]
	[Compact]
	public class ProfilerScheduleScope {
		/**
		 * Enters a schedule, on the calling thread, until the scope goes.
		 *
		 * @param schedule a schedule that is not active
		 * @throws Strideweave.Error `STATE`, as {@link ProfilerSchedule.enter} does
		 */
		public ProfilerScheduleScope (ProfilerSchedule schedule) throws Strideweave.Error;

		/** What the scope keeps entered. */
		public ProfilerSchedule schedule { get; }

		/**
		 * Ends a step and begins the next one.
		 *
		 * @return `true`
		 * @throws GLib.Error what the function of a cycle threw, or `STATE`
		 */
		public bool step () throws GLib.Error;

		/**
		 * Leaves the schedule now, to hear of errors: what is left of a cycle goes to its function.
		 *
		 * @return `true`
		 * @throws GLib.Error what the function of a cycle threw, or `STATE`
		 */
		public bool leave () throws GLib.Error;
	}

	/**
	 * Keeps a {@link ProfilerGroup} entered for as long as a block lasts, as {@link ProfileScope} does a profiler.
	 */
	[CCode (cheader_filename = "strideweave.h", free_function = "sw_profiler_group_scope_free", has_type_id = false)]
	[Compact]
	public class ProfilerGroupScope {
		/**
		 * Enters a group until the scope goes, which must be on the same thread.
		 *
		 * @param group a group that was not entered before
		 * @throws Strideweave.Error `STATE`, as {@link ProfilerGroup.enter} does
		 */
		public ProfilerGroupScope (ProfilerGroup group) throws Strideweave.Error;

		/** What the scope keeps entered. */
		public ProfilerGroup group { get; }

		/**
		 * Leaves the group now, to have its results in the same block.
		 *
		 * @return `true`
		 * @throws Strideweave.Error `STATE` when the group is not active any more, or on another thread
		 */
		public bool leave () throws Strideweave.Error;
	}

	public sealed class ProfilerSchedule : GLib.Object {
		/**
		 * Enters the schedule for the rest of the block:
		 *
		 * {{{
		 * var scope = schedule.scope ();
		 * foreach (var batch in batches) {
		 *   train (batch);
		 *   scope.step ();
		 * }
		 * scope.leave ();
		 * }}}
		 *
		 * @return the scope; the schedule is left when it goes, so keep it in a variable
		 * @throws Strideweave.Error `STATE`, as {@link ProfilerSchedule.enter} does
		 */
		[CCode (cname = "sw_profiler_schedule_scope_new")]
		public ProfilerScheduleScope scope () throws Strideweave.Error;
	}

	public sealed class ProfilerGroup : GLib.Object {
		/**
		 * Enters the group for the rest of the block.
		 *
		 * @return the scope; the group is left when it goes, so keep it in a variable
		 * @throws Strideweave.Error `STATE`, as {@link ProfilerGroup.enter} does
		 */
		[CCode (cname = "sw_profiler_group_scope_new")]
		public ProfilerGroupScope scope () throws Strideweave.Error;
	}

	[Compact]
	public class ProfilerCycle {
		/** The completed profiler with the events of all steps. */
		public Profiler profiler { get; }
		/** Which cycle it is, from 0. */
		public int64 number { get; }
		/** The number of the first recorded step. */
		public int64 first_step { get; }
		/** How many steps were recorded. */
		public int64 n_steps { get; }
	}

	[Compact]
	public class ProfilerThread {
		/** The completed profiler with the thread's events. */
		public Profiler profiler { get; }
		/** The name that the system knew the thread by. */
		public string name { get; }
		/** The number that the system knew the thread by. */
		public int64 os_thread_id { get; }
		/** The thread identifier that its events have. */
		public uint64 thread_id { get; }
	}

	public sealed class Profiler : GLib.Object {
		/**
		 * Enters the profiler for the rest of the block:
		 *
		 * {{{
		 * var scope = new Strideweave.Profiler ().scope ();
		 * var result = Strideweave.relu (tensor); // should this throw, the profiler is left all the same
		 * scope.leave ();
		 * print ("%s\n", scope.profiler.dup_table ());
		 * }}}
		 *
		 * Without {@link ProfileScope.leave} the end of the block leaves the profiler. An async method must go on in the
		 * thread that entered; on another one the profiler is abandoned, and who asks for results is told so.
		 *
		 * @return the scope; the profiler is left when it goes, so keep it in a variable
		 * @throws Strideweave.Error `STATE` when the profiler was entered before, or another one is active on the thread
		 */
		[CCode (cname = "sw_profile_scope_new")]
		public ProfileScope scope () throws Strideweave.Error;
	}

	public abstract class Operation : GLib.Object {
		/**
		 * Computes a fresh tensor: what an operation of one's own implements.
		 *
		 * Runs inside the profiled boundary. To execute an operation call {@link forward}, or {@link lower} in a
		 * computation, which check the inputs first.
		 *
		 * @param inputs the positional inputs
		 * @param options the options, already checked to be for this operation
		 * @return the result
		 * @throws GLib.Error any error; who executes the operation gets it as it is
		 */
		[NoWrapper]
		protected virtual Tensor compute (ValueList inputs, ExecutionOptions? options) throws GLib.Error;
	}

	/** Ends the use of memory that somebody else keeps; may be called in any thread. */
	[CCode (cheader_filename = "strideweave.h", cname = "GDestroyNotify", has_type_id = false)]
	public delegate void EndUseFunc ();

	public sealed class CPU : Carrier {
		/**
		 * Makes a carrier over memory that somebody else keeps in place until the end of its use.
		 *
		 * @param size how many values
		 * @param address where they are
		 * @param is_mutable whether they may be written
		 * @param dtype what each value is
		 * @param end_use called once: after the last use of the memory, and at once when this fails
		 * @throws Strideweave.Error `VALUE` for an impossible size, address or dtype
		 */
		[CCode (has_construct_function = false, type = "SwCarrier*")]
		public CPU.for_memory (int64 size, uint64 address, bool is_mutable, DType dtype, [CCode (scope = "async")] EndUseFunc? end_use) throws Strideweave.Error;
	}

	[Compact]
	public class InputShapes {
		/**
		 * Makes a snapshot of shapes.
		 *
		 * @param shapes one for each positional input, `null` for an input that is no tensor
		 */
		[CCode (has_construct_function = false)]
		public InputShapes ([CCode (array_length_cname = "n_shapes", array_length_pos = 1.1, array_length_type = "gsize")] Shape?[]? shapes);

		/** How many positions there are: `foreach (var shape in shapes)` visits each. */
		public int size { [CCode (cname = "sw_input_shapes_get_length")] get; }

		/**
		 * The shape at a position, written `shapes[position]`.
		 *
		 * @param position from 0
		 * @return the shape, or `null` for an input that was no tensor and for a position that does not exist
		 */
		[CCode (cname = "sw_input_shapes_get_shape")]
		public unowned Shape? @get (uint position);
	}

	[Compact]
	public class ProfilerColumns {
		/** How many values each column has. */
		public int64 n_rows { get; }
		/** How many columns there are. */
		public uint n_columns { get; }
		/** How the values lie in memory. */
		public ColumnOrder order { get; }

		/**
		 * The values of a column of 64-bit integers, without copying them.
		 *
		 * @param name the name of the column
		 * @return the values, as long as the columns live
		 * @throws Strideweave.Error `VALUE` for no column, `TYPE` for one of another kind, `STATE` when the order is by rows
		 */
		[CCode (array_length_type = "gsize")]
		public unowned int64[] get_int64s (string name) throws Strideweave.Error;

		/**
		 * The values of a column of 32-bit integers or labels; see {@link get_int64s}.
		 *
		 * @param name the name of the column
		 * @return the values, as long as the columns live
		 * @throws Strideweave.Error as {@link get_int64s}
		 */
		[CCode (array_length_type = "gsize")]
		public unowned int32[] get_int32s (string name) throws Strideweave.Error;

		/**
		 * The values of a column of floating-point numbers; see {@link get_int64s}.
		 *
		 * @param name the name of the column
		 * @return the values, as long as the columns live
		 * @throws Strideweave.Error as {@link get_int64s}
		 */
		[CCode (array_length_type = "gsize")]
		public unowned double[] get_doubles (string name) throws Strideweave.Error;
	}

	[Compact]
	public class ProfilerEvent {
		/** The number of the event in its session, from 0, in the order in which executions began. */
		public int64 id { get; }
		/** The dispatch name. */
		public string name { get; }
		/** The exact class of the carrier that dispatched the operation. */
		public GLib.Type carrier_type { get; }
		/** What results call that class, also where this process does not have it. */
		public string carrier_name { get; }
		/** The exact class of the operation that ran. */
		public GLib.Type implementation_type { get; }
		/** What results call that class, also where this process does not have it. */
		public string implementation_name { get; }
		/** The shapes of the positional inputs, or `null` when they were not recorded. */
		public InputShapes? input_shapes { get; }
		/** When the execution began, in nanoseconds of the monotonic clock. */
		public int64 start_time_ns { get; }
		/** How long it took, in nanoseconds. */
		public int64 duration_ns { get; }
		/** How long it took without the operations that ran directly inside it, in nanoseconds. */
		public int64 self_time_ns { get; }
		/** The thread that ran it. */
		public uint64 thread_id { get; }
		/** Whether it returned a valid tensor. */
		public bool succeeded { get; }
	}

	[Compact]
	public class ProfilerAggregate {
		/** The dispatch name. */
		public string name { get; }
		/** The exact class of the carriers that dispatched the operations. */
		public GLib.Type carrier_type { get; }
		/** What results call that class, also where this process does not have it. */
		public string carrier_name { get; }
		/** The shapes of the positional inputs, or `null` when rows are not grouped by them. */
		public InputShapes? input_shapes { get; }
		/** How many events there are. */
		public int64 count { get; }
		/** The sum of their durations, in nanoseconds. */
		public int64 total_time_ns { get; }
		/** The sum of their self times, in nanoseconds. */
		public int64 self_total_time_ns { get; }
		/** The mean of their durations, in nanoseconds. */
		public double mean_time_ns { get; }
		/** The shortest duration, in nanoseconds. */
		public int64 min_time_ns { get; }
		/** The longest duration, in nanoseconds. */
		public int64 max_time_ns { get; }
		/** The median of the durations, in nanoseconds; this and what follows is NaN without statistics. */
		public double p50_time_ns { get; }
		/** What nine of ten durations do not exceed, in nanoseconds. */
		public double p90_time_ns { get; }
		/** What 99 of a hundred durations do not exceed, in nanoseconds. */
		public double p99_time_ns { get; }
		/** The standard deviation of the durations, as of a whole population, in nanoseconds. */
		public double stddev_time_ns { get; }
		/** The share of the durations in the time of all outermost events, in percent. */
		public double total_percent { get; }
		/** The share of the self times in the time of all outermost events, in percent. */
		public double self_total_percent { get; }
	}

	[Compact]
	public class Shape {
		/** The product of all extents. */
		public int64 size { get; }
		/** How many modes there are at the top level. */
		public uint rank { get; }
		/** How deep modes nest; 1 for a flat shape, 0 for that of a scalar. */
		public uint depth { get; }
		/** How many extents there are on all levels. */
		public uint n_leaves { get; }
	}

	[Compact]
	public class Stride {
		/** How many modes there are at the top level. */
		public uint rank { get; }
		/** How deep modes nest; 1 for flat strides, 0 for those of a scalar. */
		public uint depth { get; }
		/** How many steps there are on all levels. */
		public uint n_leaves { get; }
	}

	[Compact]
	public class Layout {
		/** The extents of the modes. */
		public Shape shape { get; }
		/** The steps of the modes. */
		public Stride stride { get; }
		/** How many coordinates there are. */
		public int64 size { get; }
		/** One more than the largest index. */
		public int64 cosize { get; }
	}

	[Compact]
	public class Tensor {
		/** What holds the values. */
		public Carrier carrier { get; }
		/** The index within the carrier that coordinate zero has. */
		public int64 offset { get; }
		/** Which index each coordinate has, counted from the offset. */
		public Layout layout { get; }
		/** The shape of the layout. */
		public Shape shape { get; }
		/** How many coordinates there are. */
		public int64 size { get; }
		/** What each value is. */
		public DType dtype { get; }
	}

	[Compact]
	public class ExecutionOptions {
		/** The dispatch name of the operation that the options are for. */
		public string operation_name { get; }
		/** What sums are kept in; `INVALID` for the operation's own choice. */
		public DType accumulator_dtype { get; }
	}
}
