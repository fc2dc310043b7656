// Learn from a stream of samples on the serial port, a line each: codes, then the label, or ? for a question.
#include <@name@.h>

static @name@_model model;

void setup()
{
    Serial.begin(115200);
    @name@_init(&model);
}

void loop()
{
    int16_t x[@NAME@_FEATURES];
    if (!Serial.available()) {
        return;
    }
    for (int f = 0; f < @NAME@_FEATURES; f++) {
        x[f] = (int16_t)Serial.parseInt();
    }
    while (Serial.peek() == ' ' || Serial.peek() == ',') {
        Serial.read();
    }
    if (Serial.peek() == '?') {
        Serial.read();
        Serial.println(@name@_predict(&model, x));
    } else {
        Serial.println(@name@_learn(&model, x, (int)Serial.parseInt()));
    }
}
