"""LSM6DS3 accelerometer over I2C, +-2 g, 104 samples a second. Only what the gesture learner needs."""

_ADDRESS = 0x6A
_CONTROL = 0x10
_CONTROL_3 = 0x12
_ACCELERATION = 0x28


class LSM6DS3:
    def __init__(self, i2c, address=_ADDRESS):
        self._i2c = i2c
        self._address = address
        self._raw = bytearray(6)
        i2c.writeto_mem(address, _CONTROL, b"\x40")
        # Keep both bytes of a value from one moment, and let the address count up, to read all in one go.
        i2c.writeto_mem(address, _CONTROL_3, b"\x44")

    def read(self, out):
        """x, y, z into `out`, an array('h'). Allocates nothing."""
        raw = self._raw
        self._i2c.readfrom_mem_into(self._address, _ACCELERATION, raw)
        for i in range(3):
            v = raw[2 * i + 1] << 8 | raw[2 * i]
            out[i] = v - 65536 if v > 32767 else v
