SRC_USERMOD_C += $(USERMOD_DIR)/board.c $(USERMOD_DIR)/clock.c $(USERMOD_DIR)/rom.c
