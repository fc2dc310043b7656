"""Time on a board: its clock; or, on the emulated board, which has none, a timer that counts instructions."""

try:
    from time import ticks_diff, ticks_us

    UNIT = "microseconds"
except ImportError:
    import machine

    UNIT = "instructions"
    _TIMER = 0x40000000  # one tick is 40 instructions
    machine.mem32[_TIMER + 8] = -1
    machine.mem32[_TIMER] = 1

    def ticks_us():
        return machine.mem32[_TIMER + 4] & 0x3FFFFFFF

    def ticks_diff(a, b):
        return (b - a) * 40


def overhead():
    """The ticks that reading the clock twice takes; a measurement subtracts them."""
    total = 0
    for _ in range(20):
        start = ticks_us()
        total += ticks_diff(ticks_us(), start)
    return total // 20
