import type { Environment, Manifest, Schema } from "../api/records";
import { bytes, count, measured } from "./numbers";

/** One captured fact, as text. `unknown` stays `unknown`. */
export interface Entry {
  readonly group: string;
  readonly name: string;
  readonly value: string;
}

type Maybe = string | number | boolean | null;
type Fact = readonly [name: string, value: string];

const UNKNOWN = "unknown";
const NONE = "none";

/** What is known of a machine: processor and system first, then each GPU, then what was installed and set. */
export function machine(environment: Environment | "unknown"): readonly Entry[] {
  if (environment === UNKNOWN) return group("machine", [["everything", UNKNOWN]]);
  return [
    ...group("machine", [
      ["CPU", text(environment.cpu_model)],
      ["CPUs", text(environment.cpu_count)],
      ["memory", sized(environment.memory_bytes)],
      ["system", text(environment.system)],
      ["kernel", text(environment.kernel)],
      ["driver", text(environment.driver_version)],
      ["CUDA", text(environment.cuda_version)],
      ["Python", environment.python_version],
      ["read bandwidth", bandwidth(environment.bandwidth)],
    ]),
    ...group("container", [
      ["containerized", text(environment.container.containerized)],
      ["CPU limit", text(environment.container.cpu_limit)],
      ["memory limit", sized(environment.container.memory_limit_bytes)],
    ]),
    ...gpus(environment),
    ...group(
      "environment variables",
      environment.variables.map(({ name, value }) => [name, value]),
    ),
    ...group(
      "packages",
      environment.packages.map(({ name, version }) => [name, version]),
    ),
  ];
}

function gpus({ gpus: found, links, gpu_processes: processes }: Environment): Entry[] {
  if (found === UNKNOWN) return group("GPUs", [["GPUs", "unknown: NVML could not be asked"]]);
  if (found.length === 0) return group("GPUs", [["GPUs", "none: NVML answered that there is none"]]);
  return [
    ...found.flatMap(gpu =>
      group(`GPU ${gpu.index}`, [
        ["name", gpu.name],
        ["memory", sized(gpu.memory_bytes)],
        ["multiprocessors", text(gpu.multiprocessors)],
        ["compute capability", text(gpu.compute_capability)],
        ["SM clock, most", unit(gpu.sm_clock_max_mhz, "MHz")],
        ["memory clock, most", unit(gpu.memory_clock_max_mhz, "MHz")],
        ["power limit", unit(gpu.power_limit_w, "W")],
        ["ECC", gpu.ecc],
        ["MIG", gpu.mig],
        ["compute mode", gpu.compute_mode],
        ["VBIOS", gpu.vbios],
        ["PCI device", gpu.pci_device_id],
        ["PCI bus", gpu.pci_bus_id],
        ["UUID, hashed", gpu.uuid_hash],
      ]),
    ),
    ...group(
      "links",
      many(links, ({ first, second, kind, lanes }) => [
        `GPU ${first} to GPU ${second}`,
        lanes === UNKNOWN ? `${kind}, lanes unknown` : `${kind}, ${lanes} lanes`,
      ]),
    ),
    ...group(
      "other processes",
      many(processes, ({ gpu_index: gpu, kind, memory_bytes: memory }, index) => [
        `process ${index + 1}, on GPU ${gpu}`,
        `${kind}, ${sized(memory)}`,
      ]),
    ),
  ];
}

/** What is known of the code, weights and configuration of an arm. */
export function arm(one: Manifest["arms"][number]): readonly Entry[] {
  return [
    ...group("code", [
      ["commit", one.code.commit_sha],
      ["source tree", one.code.tree_digest],
      ["uncommitted changes", text(one.code.dirty)],
      ["image", one.image_digest],
    ]),
    ...group("model", [
      ["model", one.model],
      ["quantization", one.quantization],
      ["weights", one.weights_digest],
      ["draft weights", text(one.draft_digest)],
      ["tokenizer", one.tokenizer_digest],
      ["chat template", text(one.chat_template_digest)],
    ]),
    ...group(
      "engine configuration",
      one.engine_config.map(({ name, value }) => [name, value]),
    ),
  ];
}

function group(name: string, facts: readonly Fact[]): Entry[] {
  return facts.map(([term, value]) => ({ group: name, name: term, value }));
}

function many<T>(
  values: readonly T[] | "unknown",
  describe: (value: T, index: number) => Fact,
): readonly Fact[] {
  if (values === UNKNOWN) return [["all", UNKNOWN]];
  return values.length === 0 ? [["all", NONE]] : values.map(describe);
}

function text(value: Maybe): string {
  if (value === null) return NONE;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? count(value) : value;
}

function sized(value: number | "unknown" | null): string {
  return typeof value === "number" ? bytes(value) : text(value);
}

function unit(value: number | "unknown", name: string): string {
  return value === UNKNOWN ? UNKNOWN : `${count(value)} ${name}`;
}

function bandwidth(probe: Schema<"BandwidthProbe"> | "unknown"): string {
  if (probe === UNKNOWN) return UNKNOWN;
  return `${probe.read_gb_per_s.map(measured).join(", ")} GB/s (${probe.device}, one number a read)`;
}
