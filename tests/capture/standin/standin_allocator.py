"""A caching allocator as small as the tests allow, which records what torch's records: segments, blocks, events
with frames, a ring of max_entries, counters, and out-of-memory. Both stand-ins, torch and torch_npu, have one."""

import collections
import sys
import time

MIB = 1 << 20


class Device:
    def __init__(self, index, limit):
        self.index, self.limit = index, limit
        self.segments = []
        self.trace = None
        self.allocated = self.peak_allocated = self.reserved = self.peak_reserved = self.ooms = 0


class Allocator:
    def __init__(self, device_count=2, limit=256 * MIB, with_time=True):
        self.devices = [Device(index, limit) for index in range(device_count)]
        self.next_address = 0x7F0000000000
        self.observers = []
        self.with_time = with_time
        self.calls = []

    def record(self, max_entries):
        for device in self.devices:
            device.trace = None if max_entries is None else collections.deque(device.trace or (), maxlen=max_entries)

    def note(self, device, action, address, size, frames):
        if device.trace is None:
            return
        entry = {"action": action, "device_free" if action == "oom" else "addr": address, "size": size, "stream": 0}
        if frames:
            entry["frames"] = frames
        if self.with_time:
            entry["time_us"] = time.time_ns() // 1000
        device.trace.append(entry)

    def allocate(self, size, index=0):
        """The block's address."""
        device, frames = self.devices[index], _frames()
        rounded = max(512, -(-size // 512) * 512)
        small = rounded <= MIB
        for segment in device.segments:
            if (segment["segment_type"] == "small") == small:
                for block in segment["blocks"]:
                    if block["state"] == "inactive" and block["size"] >= rounded:
                        return self.take(device, segment, block, rounded, size, frames)
        total = 2 * MIB if small else max(20 * MIB, -(-rounded // (2 * MIB)) * 2 * MIB)
        if device.reserved + total > device.limit:
            free = device.limit - device.reserved
            device.ooms += 1
            self.note(device, "oom", free, rounded, frames)
            for observer in self.observers:
                observer(index, rounded, device.limit, free)
            raise sys.modules["torch"].OutOfMemoryError("device out of memory. Tried to allocate %d bytes" % size)
        address, self.next_address = self.next_address, self.next_address + 2 * total
        segment = {
            "device": index, "address": address, "total_size": total, "allocated_size": 0, "active_size": 0,
            "requested_size": 0, "stream": 0, "segment_type": "small" if small else "large", "segment_pool_id": (0, 0),
            "is_expandable": False, "frames": frames,
            "blocks": [{"address": address, "size": total, "requested_size": 0, "state": "inactive", "frames": []}],
        }
        device.segments.append(segment)
        device.reserved += total
        device.peak_reserved = max(device.peak_reserved, device.reserved)
        self.note(device, "segment_alloc", address, total, frames)
        return self.take(device, segment, segment["blocks"][0], rounded, size, frames)

    def take(self, device, segment, block, rounded, size, frames):
        rest = block["size"] - rounded
        if rest >= 512 and (segment["segment_type"] == "small" or rest > MIB):
            place = segment["blocks"].index(block) + 1
            left = {"address": block["address"] + rounded, "size": rest, "requested_size": 0, "state": "inactive", "frames": []}
            segment["blocks"].insert(place, left)
            block["size"] = rounded
        block.update(state="active_allocated", requested_size=size, frames=frames)
        for key, bytes_ in (("allocated_size", block["size"]), ("active_size", block["size"]), ("requested_size", size)):
            segment[key] += bytes_
        device.allocated += block["size"]
        device.peak_allocated = max(device.peak_allocated, device.allocated)
        self.note(device, "alloc", block["address"], size, frames)
        return block["address"]

    def free(self, address, index=0):
        device, frames = self.devices[index], _frames()
        segment, block = next((s, b) for s in device.segments for b in s["blocks"]
                              if b["address"] == address and b["state"] == "active_allocated")
        for action in ("free_requested", "free_completed"):
            self.note(device, action, address, block["requested_size"], frames)
        for key, bytes_ in (("allocated_size", block["size"]), ("active_size", block["size"]),
                            ("requested_size", block["requested_size"])):
            segment[key] -= bytes_
        device.allocated -= block["size"]
        block.update(state="inactive", requested_size=0, frames=[])
        blocks = segment["blocks"]
        for first, second in ((blocks.index(block), 1), (blocks.index(block) - 1, 1)):
            if first >= 0 and first + 1 < len(blocks) and {blocks[first]["state"], blocks[first + 1]["state"]} == {"inactive"}:
                blocks[first]["size"] += blocks.pop(first + second)["size"]

    def snapshot(self):
        for device in self.devices:
            self.note(device, "snapshot", 0, 0, [])
        segments = [dict(s, blocks=[dict(b) for b in s["blocks"]]) for d in self.devices for s in d.segments]
        return {"segments": segments, "device_traces": [list(d.trace or ()) for d in self.devices]}

    def stats(self, index):
        device = self.devices[index]
        return {
            "allocated_bytes.all.current": device.allocated, "allocated_bytes.all.peak": device.peak_allocated,
            "reserved_bytes.all.current": device.reserved, "reserved_bytes.all.peak": device.peak_reserved,
            "num_alloc_retries": 0, "num_ooms": device.ooms,
        }


def _frames():
    """Innermost first; the stand-ins themselves are what C++ is in torch."""
    frames, frame = [], sys._getframe(1)
    while frame is not None:
        if "standin" not in frame.f_code.co_filename:
            frames.append({"filename": frame.f_code.co_filename, "line": frame.f_lineno, "name": frame.f_code.co_name})
        frame = frame.f_back
    return frames
