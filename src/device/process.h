/* The device of this process, for what stands in for a driver: made on first use, with the options that the
 * command passed in the environment, and finished when the process ends. */
#ifndef LS_DEVICE_PROCESS_H
#define LS_DEVICE_PROCESS_H

#include "device/device.h"

/* words: whose its findings are written in. */
ls_dev *ls_dev_of_process(ls_dev_words words);

#endif
