"""MPU-6050 accelerometer over I2C, +-2 g: 16,384 counts are 1 g. Only what the gesture learner needs."""

_ADDRESS = 0x68
_POWER = 0x6B
_ACCELERATION = 0x3B


class MPU6050:
    def __init__(self, i2c, address=_ADDRESS):
        self._i2c = i2c
        self._address = address
        self._raw = bytearray(6)
        i2c.writeto_mem(address, _POWER, b"\x00")  # it sleeps after power-on

    def read(self, out):
        """x, y, z into `out`, an array('h'). Allocates nothing."""
        raw = self._raw
        self._i2c.readfrom_mem_into(self._address, _ACCELERATION, raw)
        for i in range(3):
            v = raw[2 * i] << 8 | raw[2 * i + 1]
            out[i] = v - 65536 if v > 32767 else v
