// SPDX-License-Identifier: LGPL-2.1-or-later
// What the vapi holds of zones beside what the GIR says: it is merged with the classes that the GIR describes.

namespace Strideweave {
	/**
	 * A zone of the thread's current {@link ZoneProfiler} that lasts as long as what holds it: see {@link profile_zone}.
	 *
	 * However the block ends, the zone does: at its last line, by `return`, `break` or a thrown error, and in an async
	 * method after whatever it yielded for. It has one owner and cannot be copied. Zones may end in any order, but on the
	 * thread that they began on; on another one they stay open, which is counted.
	 */
	[CCode (cheader_filename = "strideweave.h", cname = "SwZoneGuard", free_function = "sw_zone_guard_free", has_type_id = false)]
	[Compact]
	public class ZoneScope {
		/** Whether the zone is recorded: not so without a current profiler, while it is disabled, and when it was dropped. */
		public bool recorded { [CCode (cname = "sw_zone_guard_is_recorded")] get; }

		/** Ends the zone before the block does. */
		[CCode (cname = "sw_zone_guard_free")]
		[DestroysInstance]
		public void end ();
	}

	/**
	 * A frame of the thread's current {@link ZoneProfiler} that lasts as long as what holds it: see {@link profile_frame}.
	 */
	[CCode (cheader_filename = "strideweave.h", cname = "SwFrameGuard", free_function = "sw_frame_guard_free", has_type_id = false)]
	[Compact]
	public class FrameScope {
		/** Whether the frame is recorded: not so without a current profiler, and while it is disabled. */
		public bool recorded { [CCode (cname = "sw_frame_guard_is_recorded")] get; }

		/** Ends the frame before the block does. */
		[CCode (cname = "sw_frame_guard_free")]
		[DestroysInstance]
		public void end ();
	}

	/**
	 * Keeps a {@link ZoneProfiler} current for as long as a block lasts: see {@link ZoneProfiler.scope}.
	 *
	 * Scopes may go in any order, as those of async methods do, but on the thread that they came on. On another one the
	 * profiler stays current there until that thread ends.
	 */
	[CCode (cheader_filename = "strideweave.h", cname = "SwZoneProfilerGuard", free_function = "sw_zone_profiler_guard_free", has_type_id = false)]
	[Compact]
	public class ZoneProfilerScope {
		/** What the scope keeps current. */
		public ZoneProfiler profiler { [CCode (cname = "sw_zone_profiler_guard_get_profiler")] get; }

		/** Leaves the profiler before the block ends. */
		[CCode (cname = "sw_zone_profiler_guard_free")]
		[DestroysInstance]
		public void leave ();
	}

	/**
	 * Records a zone for as long as the result is held:
	 *
	 * {{{
	 * var zone = Strideweave.profile_zone ("collisions");
	 * collide (); // should this throw, the zone ends all the same
	 * zone.end ();
	 * }}}
	 *
	 * Without {@link ZoneScope.end} the end of the block ends the zone.
	 *
	 * Without a current profiler, or while that is disabled, nothing is recorded, and the place is not registered. Else
	 * results tell the file and the line of the call, those of Vala when it is compiled with `--debug`, those of C when it
	 * is not, and the function by its name in C.
	 *
	 * @param name what the zone is called; it is copied
	 * @param encoder what encodes commands whose GPU times the zone is to have, or `null`
	 * @return the zone, which ends when this goes
	 */
	[CCode (cheader_filename = "strideweave.h", cname = "SW_ZONE_GUARD_HERE")]
	public static ZoneScope profile_zone (string name, ProfilerEncoder? encoder = null);

	/**
	 * Records a zone with the name of the calling function, in C, for as long as the result is held.
	 *
	 * @param encoder what encodes commands whose GPU times the zone is to have, or `null`
	 * @return the zone, which ends when this goes
	 */
	[CCode (cheader_filename = "strideweave.h", cname = "SW_ZONE_GUARD_FOR_FUNCTION_HERE")]
	public static ZoneScope profile_function (ProfilerEncoder? encoder = null);

	/**
	 * Records a frame for as long as the result is held. Zones of any thread that begin meanwhile belong to it.
	 *
	 * @param name what the frame is called; it is copied
	 * @return the frame, which ends when this goes
	 * @throws Strideweave.Error `STATE` while another frame is active
	 */
	[CCode (cheader_filename = "strideweave.h", cname = "sw_frame_guard_new")]
	public static FrameScope profile_frame (string name = "frame") throws Strideweave.Error;

	public sealed class ZoneProfiler : GLib.Object {
		/**
		 * Makes the profiler the thread's current one for the rest of the block:
		 *
		 * {{{
		 * var scope = profiler.scope ();
		 * work ();
		 * scope.leave ();
		 * }}}
		 *
		 * @return the scope; the profiler is left when it goes, so keep it in a variable
		 * @throws Strideweave.Error `FAILED` when there is no memory for the thread's queue
		 */
		[CCode (cname = "sw_zone_profiler_guard_new")]
		public ZoneProfilerScope scope () throws Strideweave.Error;
	}

	[Compact]
	public class DurationStatistics {
		/** How many durations there are. */
		public uint64 count { get; }
		/** Their sum, in milliseconds. */
		public double total_ms { get; }
		/** The shortest, in milliseconds; 0 without any. */
		public double min_ms { get; }
		/** The longest, in milliseconds; 0 without any. */
		public double max_ms { get; }
		/** Their mean, in milliseconds; 0 without any. */
		public double mean_ms { get; }
		/** Their standard deviation, as of a whole population, in milliseconds. */
		public double stddev_ms { get; }
		/** The median, in milliseconds; 0 without any. */
		public double p50_ms { get; }
		/** What nine of ten do not exceed, in milliseconds. */
		public double p90_ms { get; }
		/** What 95 of a hundred do not exceed, in milliseconds. */
		public double p95_ms { get; }
		/** What 99 of a hundred do not exceed, in milliseconds. */
		public double p99_ms { get; }
	}

	[Compact]
	public class CallStatistics {
		/** How many durations there are. */
		public uint64 count { get; }
		/** Their sum, in milliseconds. */
		public double total_ms { get; }
		/** The shortest, in milliseconds; 0 without any. */
		public double min_ms { get; }
		/** The longest, in milliseconds; 0 without any. */
		public double max_ms { get; }
		/** Their mean, in milliseconds; 0 without any. */
		public double mean_ms { get; }
		/** Their standard deviation, as of a whole population, in milliseconds. */
		public double stddev_ms { get; }
	}

	[Compact]
	public class ZoneTrace {
		/** When it begins, in nanoseconds of the monotonic clock. */
		public uint64 start_ns { get; }
		/** When it ends, in nanoseconds of the monotonic clock. */
		public uint64 stop_ns { get; }
		/** Why it ends there. */
		public StopReason stop_reason { get; }
		/** Whether zones are missing, since the memory limit was reached. */
		public bool truncated { get; }
		/** How much memory it takes, in bytes. */
		public uint64 memory_bytes { get; }
		/** How many zones it has. */
		public uint32 zone_count { get; }
		/** What went missing. */
		public ProfilerDiagnostics diagnostics { get; }
	}

	[Compact]
	public class ZoneChunk {
		/** How many zones the chunk has, at most 4,096. */
		public uint32 zone_count { get; }
		/** The place of its first zone among all of the trace. */
		public uint32 first_index { get; }
	}

	[Compact]
	public class ZoneSelection {
		/** The trace whose zones are selected. */
		public ZoneTrace trace { get; }
		/** How many zones are selected. */
		public uint32 count { get; }
	}

	[Compact]
	public class ZoneFrame {
		/** The number of the frame, which rises by one from frame to frame. */
		public uint32 index { get; }
		/** What it was called. */
		public string name { get; }
		/** When it began, in nanoseconds of the monotonic clock. */
		public uint64 start_ns { get; }
		/** How long it took, in nanoseconds. */
		public uint64 duration_ns { get; }
	}

	[Compact]
	public class Timeline {
		/** What it shows the work of. */
		public TimelineType timeline_type { get; }
		/** The name of the thread, or of the queue. */
		public string name { get; }
		/** The number by which the system knows the thread; 0 for a GPU. */
		public uint64 thread_id { get; }
		/** The number of the device; 0 for a thread. */
		public uint64 device_id { get; }
		/** The number of the queue on the device. */
		public uint32 queue { get; }
	}

	[Compact]
	public class ProfilerSite {
		/** The number of the site, from 1. */
		public uint32 id { get; }
		/** The file; empty when not known. */
		public string file { get; }
		/** The line; 0 when not known. */
		public uint32 line { get; }
		/** The function, by a short qualified name; empty when not known. */
		public string function { get; }
		/** What its zones are called. */
		public string name { get; }
	}

	[Compact]
	public class FrameStats {
		/** How many frames there are. */
		public uint32 sample_count { get; }
		/** How many paths of sites there are. */
		public uint32 entry_count { get; }
		/** How many frames wait for GPU times. */
		public uint32 pending_frame_count { get; }
		/** How long the last frame took, in milliseconds. */
		public double latest_frame_ms { get; }
		/** How many frames there were in a second. */
		public double fps { get; }
		/** How long frames took. */
		public DurationStatistics frame_time { get; }
		/** How long it was from the begin of one frame to that of the next. */
		public DurationStatistics frame_interval { get; }
		/** What went missing. */
		public ProfilerDiagnostics diagnostics { get; }
	}

	[Compact]
	public class FrameStatsEntry {
		/** The entry that this one is inside of; -1 for a root. */
		public int32 parent_index { get; }
		/** How many entries are around it. */
		public uint32 depth { get; }
		/** The number of its site. */
		public uint32 site_id { get; }
		/** What its zones are called. */
		public string name { get; }
		/** How long it took in each frame. */
		public DurationStatistics cpu_time_per_frame { get; }
		/** How long the GPU took in frames whose measurements are complete. */
		public DurationStatistics gpu_time_per_frame { get; }
		/** How long each call took. */
		public CallStatistics cpu_time_per_call { get; }
		/** How long the GPU took for each call. */
		public CallStatistics gpu_time_per_call { get; }
	}
}
