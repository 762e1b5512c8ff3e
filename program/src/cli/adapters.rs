//! `steerling adapters`.

use super::Failure;
use super::shared::print;
use serde_json::{Value, json};
use steerling::gpu::{self, AdapterReport, Gpu};

#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    Gpu::check_room()?;
    let reports = Gpu::adapters();
    if args.json {
        let list: Vec<Value> = reports.iter().enumerate().map(|(index, report)| record(index, report)).collect();
        print(&format!("{:#}\n", Value::from(list)))?;
    } else {
        let blocks: Vec<String> = reports.iter().enumerate().map(|(index, report)| block(index, report)).collect();
        print(&blocks.join("\n"))?;
    }
    Ok(gpu::check_usable(&reports)?)
}

/// The report on an adapter, as text for people.
fn block(index: usize, report: &AdapterReport) -> String {
    let AdapterReport { info, limits, .. } = report;
    let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
    let yes = |is: bool, text: &str| if is { "yes".to_owned() } else { format!("no: {text}") };
    // Whether a GPU rounds as IEEE 754 says is tested only when it is opened.
    let exact = match report.exact() && !gpu::software(info) {
        true => "yes, if it rounds sums, products and fma as IEEE 754 says; `verify` finds out".to_owned(),
        false => yes(report.exact(), "results are compared within tolerances"),
    };
    let rows = [
        ("backend", info.backend.to_string()),
        ("type", kind(info.device_type).to_owned()),
        ("driver", gpu::driver(info)),
        ("most agents in 2-D", report.most_agents(false).to_string()),
        ("most agents in 3-D", report.most_agents(true).to_string()),
        ("exact to the bit", exact),
        ("timestamps", yes(report.timestamps(), "the profiler times whole submissions")),
        ("max storage binding", mib(limits.max_storage_buffer_binding_size)),
        ("max buffer", mib(limits.max_buffer_size)),
        ("workgroups per dimension", limits.max_compute_workgroups_per_dimension.to_string()),
        ("invocations per workgroup", limits.max_compute_invocations_per_workgroup.to_string()),
    ];
    let mut text = format!("{index}: {}\n", info.name);
    let refusals = report.refusals.iter().map(|reason| ("refused", reason.clone()));
    for (label, value) in refusals.chain(rows) {
        text += &format!("   {label:26} {value}\n");
    }
    text
}

fn record(index: usize, report: &AdapterReport) -> Value {
    let AdapterReport { info, limits, refusals, .. } = report;
    json!({
        "index": index,
        "name": info.name,
        "backend": info.backend.to_string(),
        "type": kind(info.device_type),
        "driver": gpu::driver(info),
        "usable": refusals.is_empty(),
        "refusals": refusals,
        "most_agents_2d": report.most_agents(false),
        "most_agents_3d": report.most_agents(true),
        "exact": report.exact(),
        "timestamps": report.timestamps(),
        "limits": {
            "max_storage_buffer_binding_size": limits.max_storage_buffer_binding_size,
            "max_buffer_size": limits.max_buffer_size,
            "max_compute_workgroups_per_dimension": limits.max_compute_workgroups_per_dimension,
            "max_compute_invocations_per_workgroup": limits.max_compute_invocations_per_workgroup,
            "max_storage_buffers_per_shader_stage": limits.max_storage_buffers_per_shader_stage,
        },
    })
}

fn kind(device_type: wgpu::DeviceType) -> &'static str {
    match device_type {
        wgpu::DeviceType::DiscreteGpu => "discrete GPU",
        wgpu::DeviceType::IntegratedGpu => "integrated GPU",
        wgpu::DeviceType::VirtualGpu => "virtual GPU",
        wgpu::DeviceType::Cpu => "software, computes on the CPU",
        wgpu::DeviceType::Other => "unknown",
    }
}
