// Devices as the address names them and as the core does.

import type { Device } from "./core/protocol";

export function deviceOf(device: string): Device {
  return device === "host" ? "host" : Number(device);
}
