"""The generators by name, and the streams of the papers as presets of them."""

from niwaki_host.streams.agrawal import Agrawal
from niwaki_host.streams.bg import Bg1, Bg2, Bg3
from niwaki_host.streams.generator import Generator
from niwaki_host.streams.hyperplane import Hyperplane
from niwaki_host.streams.imu import Imu
from niwaki_host.streams.led import Led
from niwaki_host.streams.rbf import Rbf
from niwaki_host.streams.sea import Sea, SeaFD
from niwaki_host.streams.stagger import Stagger
from niwaki_host.streams.waveform import Waveform

_ALL = (Sea, SeaFD, Agrawal, Bg1, Bg2, Bg3, Led, Rbf, Stagger, Hyperplane, Waveform, Imu)
GENERATORS: dict[str, type[Generator]] = {generator.name: generator for generator in _ALL}

_THREE = "drift=25%+50%+75%"

PRESETS: dict[str, str] = {
    # Strict VFDT: MOA's abrupt SEA, four functions.
    "sea_a": f"sea:function=1+2+3+4,{_THREE}",
    # Shrub Ensembles (se-online): abrupt and gradual changes; the paper has n=1000000.
    "led_a": f"led:swap=1+3+5+7,{_THREE}:50",
    "led_g": f"led:swap=1+3+5+7,{_THREE}:5%",
    "agrawal_a": f"agrawal:function=1+2+1+4,{_THREE}:50",
    "agrawal_g": f"agrawal:function=1+2+1+4,{_THREE}:5%",
    "rbf_m": "rbf:classes=5,speed=0.0001",
    "rbf_f": "rbf:classes=5,speed=0.001",
    # Regularised Hoeffding trees: 500 features; the paper has n=1000000.
    "agr-500": "agrawal:function=1,balance=1,irrelevant=245,irrelevant_nominal=246",
    "bg1-500": "bg1:attributes=500,features=0/1/2",
    "sea-500": "seafd:function=1,attributes=500",
    "agr-500-drift": "agrawal:function=1+2,balance=1,irrelevant=245,irrelevant_nominal=246,drift=50%:5%",
    "bg1-500-drift": "bg1:attributes=500,features=0/1/2+3/4/5,drift=50%:5%",
    "sea-500-drift": "seafd:function=1+2,attributes=500,drift=50%:5%",
    # Feature ranking (MPG): the relevant features change twice; the paper has n=500000.
    "bg1-rank": "bg1:attributes=200,features=0/1/2+10/20/50+10/25/30,drift=33.3333%+66.6666%:2%",
    "sea-rank": "seafd:attributes=200,features=64/113+6/87+29/131,drift=33.3333%+66.6666%:2%",
}
