import { expect, test } from "vitest";
import { arm as armEntries, machine } from "../../src/format/entries";
import { arm, environment } from "../records";

function known(entries: ReturnType<typeof machine>, name: string): string | undefined {
  return entries.find(entry => entry.name === name)?.value;
}

test("what is not known says so, and differs from what is not there", () => {
  const entries = machine(environment());
  expect(known(entries, "driver")).toBe("unknown");
  expect(known(entries, "GPUs")).toBe("none: NVML answered that there is none");
  expect(known(entries, "CPU limit")).toBe("none");
  expect(known(entries, "memory limit")).toBe("unknown");
  expect(known(machine(environment({ gpus: "unknown" })), "GPUs")).toBe("unknown: NVML could not be asked");
  expect(machine("unknown")).toEqual([{ group: "machine", name: "everything", value: "unknown" }]);
});

test("numbers of a machine have their units", () => {
  const entries = machine(environment());
  expect(known(entries, "memory")).toBe("128.0 GiB");
  expect(known(entries, "read bandwidth")).toBe("21.50, 22.00 GB/s (cpu, one number a read)");
});

test("every GPU, link and process is listed", () => {
  const gpu = {
    index: 1,
    name: "NVIDIA H200",
    uuid_hash: "unknown",
    pci_bus_id: "unknown",
    pci_device_id: "unknown",
    memory_bytes: 150_754_820_096,
    multiprocessors: 132,
    compute_capability: "9.0",
    vbios: "unknown",
    sm_clock_max_mhz: 1980,
    memory_clock_max_mhz: "unknown",
    power_limit_w: 700,
    ecc: "on",
    mig: "off",
    compute_mode: "default",
  } as const;
  const entries = machine(
    environment({
      gpus: [gpu],
      links: [{ first: 0, second: 1, kind: "nvlink", lanes: 18 }],
      gpu_processes: [
        { gpu_index: 1, kind: "compute", memory_bytes: 1024 },
        { gpu_index: 1, kind: "compute", memory_bytes: "unknown" },
      ],
    }),
  );
  expect(entries).toContainEqual({ group: "GPU 1", name: "power limit", value: "700 W" });
  expect(entries).toContainEqual({ group: "links", name: "GPU 0 to GPU 1", value: "nvlink, 18 lanes" });
  expect(known(entries, "process 1, on GPU 1")).toBe("compute, 1.00 KiB");
  expect(known(entries, "process 2, on GPU 1")).toBe("compute, unknown");
});

test("an arm's configuration stands beside its identity", () => {
  const entries = armEntries(arm());
  expect(known(entries, "uncommitted changes")).toBe("no");
  expect(known(entries, "draft weights")).toBe("none");
  expect(entries).toContainEqual({ group: "engine configuration", name: "decode.mode", value: "stock" });
});
