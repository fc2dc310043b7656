"""AGRAWAL: who gets a loan (Agrawal, Imielinski and Swami, IEEE TKDE 5(6), 1993)? Ten functions, as MOA."""

import math
from typing import Any

import numpy as np

from niwaki_host.jit import njit
from niwaki_host.streams.generator import BALANCE, SEED, Fill, Generator, Param, cycle
from niwaki_host.streams.javarandom import next_double, next_int, seeded


@njit(cache=True)
def _within(low, value, high):
    return low <= value and value <= high


@njit(cache=True)
def _income_band(age, income):
    """Functions 2 and 6: a band of income for each of three ages."""
    if age < 40:
        return _within(50000, income, 100000)
    if age < 60:
        return _within(75000, income, 125000)
    return _within(25000, income, 75000)


@njit(cache=True)
def _schooled(age, elevel):
    """Function 3: a band of education for each of three ages."""
    if age < 40:
        return elevel <= 1
    if age < 60:
        return _within(1, elevel, 3)
    return elevel >= 2


@njit(cache=True)
def _schooled_income(age, elevel, salary):
    if _schooled(age, elevel):
        if age < 40:
            return _within(25000, salary, 75000)
        return _within(50000, salary, 100000)
    return _income_band(age, salary)


@njit(cache=True)
def _loan_band(age, salary, loan):
    """Function 5: a band of loans, by age and by whether the income is within its band."""
    inside = _income_band(age, salary)
    if age < 40:
        low = 100000 if inside else 200000
    elif age < 60:
        low = 200000 if inside else 300000
    else:
        low = 300000 if inside else 100000
    return _within(low, loan, low + 200000)


@njit(cache=True)
def group_a(function, salary, commission, age, elevel, hvalue, hyears, loan):
    """Is the applicant in group A (class 0)? Functions 1..10 as numbered in the paper."""
    if function == 1:
        return age < 40 or age >= 60
    if function == 2:
        return _income_band(age, salary)
    if function == 3:
        return _schooled(age, elevel)
    if function == 4:
        return _schooled_income(age, elevel, salary)
    if function == 5:
        return _loan_band(age, salary, loan)
    if function == 6:
        return _income_band(age, salary + commission)
    disposable = 2.0 * (salary + commission) / 3.0
    if function == 7:
        return disposable - loan / 5.0 - 20000.0 > 0
    if function == 8:
        return disposable - 5000.0 * elevel - 20000.0 > 0
    if function == 9:
        return disposable - 5000.0 * elevel - loan / 5.0 - 10000.0 > 0
    equity = hvalue * (hyears - 20.0) / 10.0 if hyears >= 20 else 0.0
    return disposable - 5000.0 * elevel + equity / 5.0 - 10000.0 > 0


@njit(cache=True)
def _perturb(rng, value, width, low, high, share):
    value += width * (2.0 * (next_double(rng) - 0.5)) * share
    return min(max(value, low), high)


@njit(cache=True)
def _agrawal(rng, turn, X, y, function, share, balance):
    for i in range(len(y)):
        while True:
            salary = 20000.0 + 130000.0 * next_double(rng)
            commission = 0.0
            if salary < 75000.0:
                commission = 10000.0 + 65000.0 * next_double(rng)
            age = float(20 + next_int(rng, 61))
            elevel = next_int(rng, 5)
            car = next_int(rng, 20)
            zipcode = next_int(rng, 9)
            hvalue = (9.0 - zipcode) * 100000.0 * (0.5 + next_double(rng))
            hyears = float(1 + next_int(rng, 30))
            loan = next_double(rng) * 500000.0
            group = 0 if group_a(function, salary, commission, age, elevel, hvalue, hyears, loan) else 1
            if balance == 0 or group != turn[0]:
                break
        turn[0] = group
        if share > 0.0:
            salary = _perturb(rng, salary, 130000.0, 20000.0, 150000.0, share)
            if commission > 0:
                commission = _perturb(rng, commission, 65000.0, 10000.0, 75000.0, share)
            age = math.floor(_perturb(rng, age, 60.0, 20.0, 80.0, share) + 0.5)
            # MOA clips a house's value at 135,000, though most houses are worth far more.
            hvalue = _perturb(rng, hvalue, (9.0 - zipcode) * 100000.0, 0.0, 135000.0, share)
            hyears = math.floor(_perturb(rng, hyears, 29.0, 1.0, 30.0, share) + 0.5)
            loan = _perturb(rng, loan, 500000.0, 0.0, 500000.0, share)
        X[i, 0] = salary
        X[i, 1] = commission
        X[i, 2] = age
        X[i, 3] = elevel
        X[i, 4] = car
        X[i, 5] = zipcode
        X[i, 6] = hvalue
        X[i, 7] = hyears
        X[i, 8] = loan
        y[i] = group


class Agrawal(Generator):
    """Nine features of an applicant; class 0 is group A. Values are perturbed after they were labelled."""

    name = "agrawal"
    about = "AGRAWAL: 6 numeric and 3 nominal features, 2 classes; next concept: the next function"
    PARAMS = {
        "function": Param(1, "1 to 10, as in the paper", 1, 10),
        "perturbation": Param(0.05, "how far numeric values move, as a share of their range", 0, 1),
        "balance": BALANCE,
        "seed": SEED,
    }

    def prepare(self, **params: Any) -> None:
        self.feature_names = [
            "salary",
            "commission",
            "age",
            "elevel",
            "car",
            "zipcode",
            "hvalue",
            "hyears",
            "loan",
        ]
        self.class_names = ["groupA", "groupB"]
        self.nominal = [0, 0, 0, 5, 20, 9, 0, 0, 0]
        houses = (0.0, 135000.0) if params["perturbation"] > 0 else (0.0, 1350000.0)
        self.ranges = [(20000.0, 150000.0), (0.0, 75000.0), (20.0, 80.0), None, None, None]
        self.ranges += [houses, (1.0, 30.0), (0.0, 500000.0)]

    def start(self) -> Fill:
        p = self.params
        rng, turn = seeded(p["seed"]), np.zeros(1, np.int64)
        return lambda X, y: _agrawal(rng, turn, X, y, p["function"], p["perturbation"], p["balance"])

    @classmethod
    def following(cls, params: dict[str, Any]) -> dict[str, Any]:
        return cycle(params, "function", 10)
