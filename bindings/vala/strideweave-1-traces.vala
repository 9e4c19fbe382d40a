// SPDX-License-Identifier: LGPL-2.1-or-later
// What the vapi holds of tracing beside what the GIR says: it is merged with the classes that the GIR describes.

namespace Strideweave {
	/**
	 * Fills in what a traced event is to hold: strings, numbers, booleans, and tuples of int64 for shapes.
	 *
	 * Called at once, and only for an event that is recorded. One that uses variables of its function makes Vala allocate
	 * a block for these whether it is called or not: where each nanosecond counts, ask {@link TraceContext.is_on} first.
	 *
	 * @param arguments where they go: `arguments.insert_value ("bytes", size)`
	 */
	[CCode (cheader_filename = "strideweave.h", cname = "SwTraceArgumentsFunc", has_type_id = false)]
	public delegate void TraceArgumentsFunc (GLib.VariantDict arguments);

	/**
	 * A span of a {@link TraceContext} that lasts as long as what holds it: see {@link TraceContext.span}.
	 *
	 * However the block ends, the span does: at its last line, by `return`, `break` or a thrown error. It has one owner and
	 * cannot be copied, and ends on the thread that it began on; on another one it stays open, which is counted.
	 */
	[CCode (cheader_filename = "strideweave.h", cname = "SwTraceGuard", free_function = "sw_trace_guard_free", has_type_id = false)]
	[Compact]
	public class TraceSpan {
		/** Whether the span is recorded: not so where its context records less. */
		public bool recorded { [CCode (cname = "sw_trace_guard_is_recorded")] get; }

		/** Ends the span before the block does. */
		[CCode (cname = "sw_trace_guard_free")]
		[DestroysInstance]
		public void end ();
	}

	/**
	 * A span that belongs to no thread and may overlap others, for as long as what holds it: see {@link TraceContext.async_span}.
	 */
	[CCode (cheader_filename = "strideweave.h", cname = "SwTraceAsyncGuard", free_function = "sw_trace_async_guard_free", has_type_id = false)]
	[Compact]
	public class TraceAsyncSpan {
		/** Whether the span is recorded: not so where its context records less. */
		public bool recorded { [CCode (cname = "sw_trace_async_guard_is_recorded")] get; }

		/** Ends the span, on any thread, before the block does. */
		[CCode (cname = "sw_trace_async_guard_free")]
		[DestroysInstance]
		public void end ();
	}

	/**
	 * Records a span of the default context for as long as the result is held:
	 *
	 * {{{
	 * var span = Strideweave.trace_span ("answer", "request");
	 * generate (); // should this throw, the span ends all the same
	 * span.end ();
	 * }}}
	 *
	 * Without {@link TraceSpan.end} the end of the block ends the span.
	 *
	 * @param name what the span is called; it is copied
	 * @param category what viewers filter by, or `null`
	 * @param level from which verbosity on it is recorded
	 * @param arguments what fills in its arguments, or `null`
	 * @return the span, which ends when this goes
	 * @throws Strideweave.Error `TYPE` for what is no argument, `VALUE` for a level that is none
	 */
	[CCode (cheader_filename = "strideweave.h", cname = "SW_TRACE_GUARD_HERE")]
	public static TraceSpan trace_span (string name, string? category = null, TraceVerbosity level = TraceVerbosity.OPERATIONS, [CCode (scope = "call")] TraceArgumentsFunc? arguments = null) throws Strideweave.Error;

	public sealed class TraceContext : GLib.Object {
		/**
		 * Records a span for as long as the result is held:
		 *
		 * {{{
		 * var span = context.span ("load", "data", TraceVerbosity.OPERATIONS, arguments => {
		 *   arguments.insert_value ("bytes", size);
		 * });
		 * }}}
		 *
		 * @param name what the span is called; it is copied
		 * @param category what viewers filter by, or `null`
		 * @param level from which verbosity on it is recorded
		 * @param arguments what fills in its arguments, or `null`
		 * @return the span, which ends when this goes
		 * @throws Strideweave.Error `TYPE` for what is no argument, `VALUE` for a level that is none
		 */
		[CCode (cname = "sw_trace_guard_new")]
		public TraceSpan span (string name, string? category = null, TraceVerbosity level = TraceVerbosity.OPERATIONS, [CCode (scope = "call")] TraceArgumentsFunc? arguments = null) throws Strideweave.Error;

		/**
		 * The same as a span that belongs to no thread: for an async method that others run beside.
		 *
		 * @param name what the span is called; it is copied
		 * @param category what viewers filter by, or `null`
		 * @param level from which verbosity on it is recorded
		 * @param arguments what fills in its arguments, or `null`
		 * @return the span, which ends when this goes
		 * @throws Strideweave.Error `TYPE` for what is no argument, `VALUE` for a level that is none
		 */
		[CCode (cname = "sw_trace_async_guard_new")]
		public TraceAsyncSpan async_span (string name, string? category = null, TraceVerbosity level = TraceVerbosity.OPERATIONS, [CCode (scope = "call")] TraceArgumentsFunc? arguments = null) throws Strideweave.Error;

		/**
		 * Records that something happened now, on the calling thread.
		 *
		 * @param name what happened
		 * @param category what viewers filter by, or `null`
		 * @param level from which verbosity on it is recorded
		 * @param arguments what fills in its arguments, or `null`
		 * @return `true`
		 * @throws Strideweave.Error `TYPE` for what is no argument, `VALUE` for a level that is none
		 */
		[CCode (cname = "sw_trace_guard_emit_instant")]
		public bool instant (string name, string? category = null, TraceVerbosity level = TraceVerbosity.OPERATIONS, [CCode (scope = "call")] TraceArgumentsFunc? arguments = null) throws Strideweave.Error;

		/**
		 * Records what a counter of the process counts from now on.
		 *
		 * @param name the name of the counter
		 * @param value the number
		 * @param level from which verbosity on it is recorded
		 * @return `true`
		 * @throws Strideweave.Error `VALUE` for a level that is none
		 */
		[CCode (cname = "sw_trace_context_emit_counter")]
		public bool counter (string name, [CCode (pos = 3)] double value, [CCode (pos = 2)] TraceVerbosity level = TraceVerbosity.OPERATIONS) throws Strideweave.Error;

		/**
		 * Records what a counter of whole numbers counts from now on.
		 *
		 * @param name the name of the counter
		 * @param value the number
		 * @param level from which verbosity on it is recorded
		 * @return `true`
		 * @throws Strideweave.Error `VALUE` for a level that is none
		 */
		[CCode (cname = "sw_trace_context_emit_counter_int64")]
		public bool counter_int64 (string name, [CCode (pos = 3)] int64 value, [CCode (pos = 2)] TraceVerbosity level = TraceVerbosity.OPERATIONS) throws Strideweave.Error;
	}
}
